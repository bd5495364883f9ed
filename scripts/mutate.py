#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changes the library's source in one place at a time, and lists the changes that no unit test notices.

    scripts/mutate.py [--list] [--quick] [--every N] [--from LINE] [--only PRINTED] [FILE...]
                                          by default the files that scripts/coverage.sh wants wholly covered
    scripts/mutate.py --quick FILE... >PRINTED; scripts/mutate.py --only PRINTED FILE...
                                          with few tests first, and with all what those do not notice

A change turns a comparison or a logical or arithmetic operator into another, makes a condition always or never hold, adds
one to a number, or leaves a statement out. It counts as noticed if a test fails, crashes or does not end. Those that give
the same machine code are left out. What the tests do not notice is tried again with the address and undefined-behaviour
sanitizers. Functions are compiled with all their changes side by side, and the environment says which one is called; so a
change costs no more than runs of the tests.

Exits with 1 if a change is left that tests/unit/mutants.txt does not explain; docs/internals/robustness.md says what it is for.
"""
import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXPLAINED = ROOT / 'tests/unit/mutants.txt'
READING = ['archive', 'archive_damage', 'archive_pages', 'archive_open', 'storage', 'archive_bases', 'archive_memory',
           'archive_inside', 'archive_near', 'archive_select', 'archive_limits', 'archive_text', 'properties',
           'signature_cover', 'signature', 'sodium', 'provenance']
CHOOSING = ['select', 'select_text', 'archive_select', 'selection_table']
TESTS = {**{name: READING for name in ('archive', 'archive_near', 'archive_select', 'opened', 'page', 'root',
                                       'sodium_table', 'storage')},
         'trust': [*READING, 'rest'],
         **{name: [*first, 'format', *READING] for name, first in (
             ('block', ['draft_parts']), ('block_origins', []), ('tables', ['tables']), ('block_find', ['parts', 'tunings']),
             ('block_parts', ['draft_parts', 'slice_parts', 'parts']), ('block_tunings', ['tunings', 'draft_tuning']))},
         'tunings': ['tunings', 'tuning', 'draft_tuning', 'tuned', 'format'], 'nearest': ['tunings', 'tuning'], 'tuning_grid': ['tuning', 'draft_tuning'],
         'remedy': ['remedy', *CHOOSING], 'select': CHOOSING, 'select_text': CHOOSING}
SLOW = ['storage', 'signature', 'archive_limits']  # these come last
OWN = {'storage': 'storage', 'trust': 'signature'}  # but where they are what tests a file
BUILDS = {'plain': '-O1', 'sanitized': '-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all'}
LONGEST = 300  # seconds of any test; the longest with a change is some times what it takes without one

TOKEN = re.compile(r'''(?P<skip>/\*.*?\*/|//[^\n]*|^[ \t]*\#(?:\\\n|[^\n])*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
                     |(?P<number>\b(?:0[xX][0-9a-fA-F]+|\d+)[uUlL]*\b)
                     |(?P<operator>[ ](?:<<|>>|<=|>=|==|!=|&&|\|\||[<>+\-*/%&|])[ ]|(?<=[(\s])!(?=[\w(])|[\w\])]--|[\w\])]\+\+)''',
                   re.S | re.M | re.X)
OTHER = {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '==', '&&': '||', '||': '&&', '+': '-', '-': '+',
         '*': '/', '/': '*', '%': '*', '<<': '>>', '>>': '<<', '&': '|', '|': '&', '!': ''}
STATEMENT = re.compile(r'^[ ]+(?![ ]|return|break|continue|goto|case|static|const|struct|uint|size_t|unsigned|int|bool|char)'
                       r'[^\n{}#"/]*\w[^\n{}#]*;(?: /\*[^\n]*\*/)?$', re.M)
CONDITION = re.compile(r'\b(?:if|while) \(')
FUNCTION = re.compile(r'^(?P<head>[a-z][\w *]*?\b(?P<name>\w+)\((?P<params>[^;{}]*?)\))\n\{\n(?P<body>.*?)^\}\n', re.S | re.M)

# The same code for the same function, wherever it is.
CHANGED_FLAGS = ['-w', '-ffunction-sections', '-fno-jump-tables', '-fmax-errors=0']
CHOICE = '''extern char *getenv(const char *);
extern int atoi(const char *);
static int mutate_number;
__attribute__((constructor)) static void mutate_choose(void)
{
    const char *number = getenv("MUTATE_NUMBER");
    mutate_number = number ? atoi(number) : 0;
}
'''


def changes(text):
    """(start, end, new text) of every change."""
    skipped = []
    for token in TOKEN.finditer(text):
        if token['skip']:
            skipped.append(token.span())
        elif token['number']:
            digits = token['number'].rstrip('uUlL')
            yield *token.span(), str(int(digits, 0) + 1) + token['number'][len(digits):]
        elif token['operator'].strip()[-2:] in ('--', '++'):
            sign = '++' if token['operator'].endswith('--') else '--'
            yield token.end() - 2, token.end(), sign
        else:
            operator = token['operator'].strip()
            yield *token.span(), token['operator'].replace(operator, OTHER[operator])
    inside = lambda at: any(start <= at < end for start, end in skipped)
    for condition in CONDITION.finditer(text):
        if not inside(condition.start()):
            start, end = condition.end(), closing(text, condition.end())
            for constant in ('1 ||', '0 &&'):
                yield start, end, f'{constant} ({text[start:end]})'
    for statement in STATEMENT.finditer(text):
        if not inside(statement.start()):
            yield *statement.span(), ';'


def closing(text, at):
    """Where the bracket that was opened before `at` is closed."""
    depth = 1
    while depth:
        depth += {'(': 1, ')': -1}.get(text[at], 0)
        at += 1
    return at - 1


def names_of(params):
    """What the parameters of a function are called."""
    plain = re.sub(r'\[[^\]]*\]', '', params)
    return [re.search(r'\w+$', part.strip())[0] for part in plain.split(',') if part.strip() != 'void']


def can_choose(function):
    """Whether a function can hand its arguments on to another."""
    return '...' not in function['params'] and '(' not in function['params']


def choosing(text, inside):
    """The text with each function that changes are inside of once for each, and once as it is: the environment says
    which one is called. So one compile and one link of each test do for all changes."""
    parts, at = [CHOICE], 0
    for function in FUNCTION.finditer(text):
        mine = {number: change for number, change in inside.items() if within(function, change)}
        if mine:
            parts += [text[at:function.start()], *variants(text, function, mine)]
            at = function.end()
    return ''.join(parts) + text[at:]


def within(function, change):
    return function.start('body') <= change[0] and change[1] <= function.end('body') and can_choose(function)


def variants(text, function, inside):
    head, name, body = function['head'], function['name'], function['body']
    own = re.sub(r'^static ', '', head)
    bodies = {0: body}
    for number, (start, end, new) in inside.items():
        bodies[number] = body[:start - function.start('body')] + new + body[end - function.start('body'):]
    yield f'{head};\n'
    for number, one in bodies.items():
        yield f'static __attribute__((noinline)) {re.sub(rf"{name}(?=[(])", f"{name}__{number}", own, count=1)}\n{{\n{one}}}\n'
    gives = '' if re.match(rf'void {name}[(]', own) else 'return '
    yield f'__attribute__((noinline)) {head}\n{{\n    switch (mutate_number) {{\n'
    for number in sorted(bodies, reverse=True):
        label = f'case {number}' if number else 'default'
        yield f'    {label}: {gives}{name}__{number}({", ".join(names_of(function["params"]))}); break;\n'
    yield '    }\n}\n'


class Build:
    """A folder in which the library's tests are built."""

    def __init__(self, name, files, tests):
        self.folder = ROOT / 'build' / f'mutate-{name}'
        run(['cmake', '-S', ROOT, '-B', self.folder, '-G', 'Ninja', '-DCMAKE_BUILD_TYPE=None', f'-DCMAKE_C_FLAGS={BUILDS[name]}',
             '-DCMAKE_EXPORT_COMPILE_COMMANDS=ON', '-DCUBINET_BUILD_SAMPLES=OFF', '-DCUBINET_BUILD_BENCHMARKS=OFF'])
        run(['ninja', '-C', self.folder, *(f'test_{test}' for test in tests)])
        self.links = {test: self.command(f'tests/unit/test_{test}') for test in tests}
        self.compilers = {file: self.compiler(file) for file in files}
        self.lock, self.known = threading.Lock(), {}

    def command(self, target):
        lines = run(['ninja', '-C', self.folder, '-t', 'commands', target]).splitlines()
        return lines[-1]

    def compiler(self, file):
        every = json.loads((self.folder / 'compile_commands.json').read_text())
        words = shlex.split(next(entry['command'] for entry in every if entry['file'] == str(ROOT / file)))
        while 'ccache' in words[0]:
            words.pop(0)
        drop = {words.index('-o'), words.index('-o') + 1}
        return [word for i, word in enumerate(words) if i not in drop and word != str(ROOT / file)] + CHANGED_FLAGS

    def compile(self, file, text, folder):
        """The object file of a text, and what the compiler says."""
        source, made = folder / pathlib.Path(file).name, folder / 'changed.o'
        source.write_text(text)
        place = ['-I', ROOT / file.rpartition('/')[0]]
        done = subprocess.run([*self.compilers[file], *place, '-o', made, source], cwd=self.folder, capture_output=True,
                              text=True, env={**os.environ, 'LC_ALL': 'C'})
        return made if done.returncode == 0 else None, done.stderr

    def link(self, test, changed, folder):
        made = folder / f'test_{test}'
        link = self.links[test].replace(f'-o tests/unit/test_{test}', f'-o {made} {changed}')
        subprocess.run(link, shell=True, cwd=self.folder, check=True, capture_output=True)
        return made


    def limits(self, test):
        """Seconds that a test may compute and take, by what it does without a change."""
        with self.lock:
            if test not in self.known:
                took = computed(command(self.folder / 'tests/unit' / f'test_{test}'))
                if took is None:
                    sys.exit(f'without a change, {test} fails in {self.folder}')
                self.known[test] = 2 + 3 * math.ceil(took), 60 + 60 * math.ceil(took)
            return self.known[test]


class Programs:
    """The tests of a build with a text of a file in them, linked when they are first run."""

    def __init__(self, build, file, text, folder):
        self.build, self.folder, self.linked, self.sound = build, folder, {}, set()
        self.lock = threading.Lock()
        folder.mkdir()
        self.object, self.messages = build.compile(file, text, folder)

    def notices(self, test, number):
        """Whether a test fails with a change; None is the one that the text has in any case."""
        with self.lock:
            if test not in self.linked:
                self.linked[test] = self.build.link(test, self.object, self.folder)
        if not fails(self.linked[test], number or 0, *self.build.limits(test)):
            return False
        with self.lock:
            if number and test not in self.sound and fails(self.linked[test], 0, LONGEST, LONGEST):
                sys.exit(f'without a change, {test} fails')
            self.sound.add(test)
        return True


def command(program):
    return [program, *([ROOT / 'tests/golden/selection.txt'] if program.name == 'test_selection_table' else [])]


def computed(words):
    """How many seconds of processor time a program takes; None if it fails."""
    with tempfile.TemporaryDirectory(dir=ROOT / 'build') as place:
        program = subprocess.Popen(words, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        status, used = os.wait4(program.pid, 0)[1:]
        program.returncode = os.waitstatus_to_exitcode(status)
        return None if status else used.ru_utime + used.ru_stime


def fails(program, number, computes, waits):
    """Whether a test fails, crashes or does not end."""
    words = ['prlimit', f'--cpu={computes}', *command(program)]
    with tempfile.TemporaryDirectory(dir=ROOT / 'build') as place:
        try:
            return subprocess.run(words, cwd=place, env={**os.environ, 'MUTATE_NUMBER': str(number)},
                                  capture_output=True, timeout=waits).returncode != 0
        except subprocess.TimeoutExpired:
            return True


def run(words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f'{" ".join(map(str, words))}\n{done.stdout}{done.stderr}')
    return done.stdout


def machine_code(made):
    """What tells functions apart that do different things, by name: with what they refer to, without their numbers."""
    lines = run(['objdump', '-dr', '--no-show-raw-insn', made])
    found = {}
    for part in lines.split('\n\n'):
        head = re.match(r'\s*[0-9a-f]+ <(\w+)>:', part)
        if head:
            found[head[1]] = re.sub(r'__\d+\b', '', part[head.end():])
    return found


def data(made):
    """The same of what is in an object file besides functions."""
    return machine_code(made), run(['objdump', '-s', '-j', '.rodata', '-j', '.data', '-j', '.data.rel.ro.local', '-j', '.data.rel.ro',
                                    '-j', '.rodata.str1.1', '-j', '.rodata.str1.8', made]).split('\n', 2)[-1]


def describe(text, start, end, new):
    """The change's line as it is and as it was made, on one line."""
    first, last = text.rfind('\n', 0, start) + 1, text.find('\n', end)
    one = lambda part: ' '.join(part.split())
    return f'{one(text[first:last])}  ->  {one(text[first:start] + new + text[end:last])}'


class File:
    """A file whose changes are tried."""

    def __init__(self, builds, file, folder, is_quick):
        self.builds, self.file, self.folder = builds, file, folder
        self.text = (ROOT / file).read_text()
        stem = pathlib.Path(file).stem
        late = {test: i for i, test in enumerate(['archive_damage', *SLOW], 1) if test != OWN.get(stem)}
        self.tests = sorted(TESTS[stem], key=lambda test: late.get(test, 0))
        self.tests = [test for test in self.tests if not is_quick or late.get(test, 0) < 2]
        self.bare = data(builds[0].compile(file, self.text, folder)[0])

    def choosing(self, inside):
        """The programs of each build that have all these changes; what is left of them, without those that do not
        compile."""
        while True:
            folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
            programs = [Programs(build, self.file, choosing(self.text, inside), folder / str(i))
                        for i, build in enumerate(self.builds)]
            invalid = {int(number) for number in re.findall(r"In function '\w+?__(\d+)'", programs[0].messages)}
            if not invalid:
                break
            inside = {number: change for number, change in inside.items() if number not in invalid}
        if not all(program.object for program in programs):
            sys.exit(f'{self.file}: {programs[0].messages}')
        code = machine_code(programs[0].object)
        same = {int(number) for name, number in (name.rsplit('__', 1) for name in code if re.search(r'__\d+$', name))
                if code[f'{name}__{number}'] == code[f'{name}__0']}
        return programs, {number for number in inside if number not in same}

    def is_noticed(self, programs, number):
        return any(program.notices(test, number) for program in programs for test in self.tests)

    def try_alone(self, change):
        """A change outside of functions. True and False if it is noticed and not, None if it does nothing."""
        start, end, new = change
        with tempfile.TemporaryDirectory(dir=self.folder) as name:
            folder = pathlib.Path(name)
            programs = [Programs(build, self.file, self.text[:start] + new + self.text[end:], folder / str(i))
                        for i, build in enumerate(self.builds)]
            if not programs[0].object or data(programs[0].object) == self.bare:
                return None
            return self.is_noticed(programs, None)


def try_file(builds, file, options, known):
    """How many changes there were, how many of them no test noticed, and how many of those nothing explains."""
    with tempfile.TemporaryDirectory(dir=ROOT / 'build') as folder:
        one = File(builds, file, pathlib.Path(folder), options.quick)
        start = sum(map(len, one.text.splitlines(keepends=True)[:options.start - 1]))
        every = dict(enumerate(sorted(change for change in set(changes(one.text)) if change[0] >= start)[::options.every], 1))
        if options.only:
            every = {number: change for number, change in every.items()
                     if f'{pathlib.Path(file).name}: {describe(one.text, *change)}' in options.only}
        functions = list(FUNCTION.finditer(one.text))
        inside = {number: change for number, change in every.items() if any(within(f, change) for f in functions)}
        programs, worth = one.choosing(inside)

        def try_one(number):
            if number in inside:
                return one.is_noticed(programs, number) if number in worth else None
            return one.try_alone(every[number])

        tried = unnoticed = left = 0
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for (number, change), noticed in zip(every.items(), pool.map(try_one, every)):
                tried += noticed is not None
                if noticed is False:
                    unnoticed += 1
                    line = describe(one.text, *change)
                    if f'{pathlib.Path(file).name}: {line}' not in known:
                        left += 1
                        print(f'    {pathlib.Path(file).name}:{one.text.count(chr(10), 0, change[0]) + 1}: {line}', flush=True)
    return tried, unnoticed, left


def explained():
    """The changes that cannot be noticed: a line each in the file, below the reason."""
    if not EXPLAINED.exists():
        return set()
    return {line.strip() for line in EXPLAINED.read_text().splitlines() if line.startswith('    ')}


def printed(path):
    """The changes that an earlier run has printed, without the numbers of their lines, which may have changed."""
    lines = pathlib.Path(path).read_text().splitlines()
    return {re.sub(r'^(\S+?):\d+: ', r'\1: ', line.strip()) for line in lines if line.startswith('    ')}


def main():
    parser = argparse.ArgumentParser(description='Lists changes of the source that no unit test notices.')
    parser.add_argument('files', nargs='*', default=[str(path.relative_to(ROOT)) for name in TESTS
                                                               for path in ROOT.glob(f'loader/core/*/{name}.c')])
    parser.add_argument('--list', action='store_true', help='print every change, and try none')
    parser.add_argument('--every', type=int, default=1, metavar='N', help='try only every Nth change of a file')
    parser.add_argument('--from', type=int, default=1, metavar='LINE', dest='start', help='try only the changes from a line on')
    parser.add_argument('--only', type=printed, metavar='PRINTED', help='try only the changes that an earlier run has printed')
    parser.add_argument('--quick', action='store_true', help='leave out slow tests and the sanitizers, which may notice some of the rest')
    parser.add_argument('-j', '--jobs', type=int, default=os.cpu_count())
    options = parser.parse_args()
    if options.list:
        for file in options.files:
            text = (ROOT / file).read_text()
            for change in sorted(set(changes(text))):
                print(f'{file}:{describe(text, *change)}')
        return
    tests = sorted({test for file in options.files for test in TESTS[pathlib.Path(file).stem]})
    if options.quick:
        tests = [test for test in tests if test not in SLOW or test in OWN.values()]
    builds = [Build(name, options.files, tests) for name in BUILDS if name == 'plain' or not options.quick]
    known, left = explained(), 0
    for file in options.files:
        tried, unnoticed, unknown = try_file(builds, file, options, known)
        left += unknown
        print(f'{file}: {tried} changes, {tried - unnoticed} noticed, {unnoticed - unknown} explained, {unknown} left', flush=True)
    sys.exit(1 if left else 0)


if __name__ == '__main__':
    main()
