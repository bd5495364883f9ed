#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changes the library's source in one place at a time, and lists the changes that no unit test notices.

    scripts/mutate.py [--list] [--every N] [--from LINE] [FILE...]
                                          by default the files that scripts/coverage.sh wants wholly covered

A change turns a comparison or a logical or arithmetic operator into another, makes a condition always or never hold, adds
one to a number, or leaves a statement out. It counts as noticed if a test fails, crashes or does not end. Those that give
the same machine code are left out. What the tests do not notice is tried again with the address and undefined-behaviour
sanitizers. Each change costs a compile of one file and a link of the tests that read with it.

Exits with 1 if a change is left that tests/unit/mutants.txt does not explain; docs/internals/robustness.md says what it is for.
"""
import argparse
import concurrent.futures
import hashlib
import json
import math
import os
import pathlib
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXPLAINED = ROOT / 'tests/unit/mutants.txt'
READING = ['archive', 'archive_damage', 'archive_pages', 'archive_open', 'storage', 'archive_bases', 'archive_memory',
           'archive_inside', 'archive_near', 'archive_select', 'archive_limits', 'archive_text', 'properties',
           'signature_cover', 'signature', 'sodium', 'provenance']
CHOOSING = ['select', 'select_text', 'archive_select', 'selection_table']
TESTS = {**{name: READING for name in ('archive', 'archive_near', 'archive_select', 'block', 'block_origins', 'opened', 'page',
                                       'root', 'sodium_table', 'storage', 'tables', 'trust')},
         'block_origins': [*READING, 'format'], 'tables': ['tables', *READING], 'select': CHOOSING, 'select_text': CHOOSING}
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


class Build:
    """A folder in which the library's tests are built."""

    def __init__(self, name, files, tests):
        self.folder = ROOT / 'build' / f'mutate-{name}'
        run(['cmake', '-S', ROOT, '-B', self.folder, '-G', 'Ninja', '-DCMAKE_BUILD_TYPE=None', f'-DCMAKE_C_FLAGS={BUILDS[name]}', '-DCMAKE_EXPORT_COMPILE_COMMANDS=ON',
             '-DCUBINET_BUILD_SAMPLES=OFF', '-DCUBINET_BUILD_BENCHMARKS=OFF'])
        run(['ninja', '-C', self.folder, *(f'test_{test}' for test in tests)])
        self.links = {test: self.command(f'tests/unit/test_{test}') for test in tests}
        self.compilers = {file: self.compiler(file) for file in files}
        self.check(files[0], tests)

    def check(self, file, tests):
        """Tests that fail without a change would notice every one."""
        with tempfile.TemporaryDirectory(dir=ROOT / 'build') as name:
            folder = pathlib.Path(name)
            made = self.compile(file, (ROOT / file).read_text(), folder)
            self.computes, self.waits, failing = {}, {}, []
            for test in tests:
                before, start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime, time.monotonic()
                if not made or self.notices(test, made, folder):
                    failing.append(test)
                self.computes[test] = 2 + 5 * math.ceil(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
                self.waits[test] = 30 + 20 * math.ceil(time.monotonic() - start)
        if failing:
            sys.exit(f'without a change, these tests fail: {" ".join(failing)}')

    def command(self, target):
        lines = run(['ninja', '-C', self.folder, '-t', 'commands', target]).splitlines()
        return lines[-1]

    def compiler(self, file):
        every = json.loads((self.folder / 'compile_commands.json').read_text())
        words = shlex.split(next(entry['command'] for entry in every if entry['file'] == str(ROOT / file)))
        while 'ccache' in words[0]:
            words.pop(0)
        drop = {words.index('-o'), words.index('-o') + 1}
        return [word for i, word in enumerate(words) if i not in drop and word != str(ROOT / file)] + ['-w']

    def compile(self, file, text, folder):
        """The object file of a text, or None."""
        source, made = folder / pathlib.Path(file).name, folder / 'changed.o'
        source.write_text(text)
        place = ['-I', ROOT / file.rpartition('/')[0]]
        done = subprocess.run([*self.compilers[file], *place, '-o', made, source], cwd=self.folder, capture_output=True)
        return made if done.returncode == 0 else None

    def notices(self, test, changed, folder):
        """Whether a test fails that is linked with an object file."""
        made = folder / f'test_{test}'
        link = self.links[test].replace(f'-o tests/unit/test_{test}', f'-o {made} {changed}')
        subprocess.run(link, shell=True, cwd=self.folder, check=True, capture_output=True)
        words = ['prlimit', f'--cpu={self.computes.get(test, LONGEST)}', made]
        words += [ROOT / 'tests/golden/selection.txt'] if test == 'selection_table' else []
        try:
            return subprocess.run(words, cwd=folder, capture_output=True, timeout=self.waits.get(test, LONGEST)).returncode != 0
        except subprocess.TimeoutExpired:
            return True
        finally:
            made.unlink()


def run(words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f'{" ".join(map(str, words))}\n{done.stdout}{done.stderr}')
    return done.stdout


def machine_code(made):
    """What tells object files apart that do different things."""
    bare = made.with_suffix('.bare')
    subprocess.run(['objcopy', '--strip-debug', '--remove-section=.comment', made, bare], check=True)
    return hashlib.sha256(bare.read_bytes()).digest()


def describe(text, start, end, new):
    """The change's line as it is and as it was made, on one line."""
    first, last = text.rfind('\n', 0, start) + 1, text.find('\n', end)
    one = lambda part: ' '.join(part.split())
    return f'{one(text[first:last])}  ->  {one(text[first:start] + new + text[end:last])}'


def try_change(builds, file, text, change, same, order):
    """None if it is noticed, 'invalid' or 'same', or the line that describes it."""
    start, end, new = change
    with tempfile.TemporaryDirectory(dir=ROOT / 'build') as name:
        folder = pathlib.Path(name)
        for build in builds:
            made = build.compile(file, text[:start] + new + text[end:], folder)
            if not made:
                return 'invalid'
            if build is builds[0] and machine_code(made) == same:
                return 'same'
            for test in list(order):
                if build.notices(test, made, folder):
                    order.remove(test)
                    order.insert(0, test)  # the next change is probably noticed by the same
                    return None
    return describe(text, start, end, new)


def try_file(builds, file, options, known):
    """How many changes there were, how many of them no test noticed, and how many of those nothing explains."""
    text = (ROOT / file).read_text()
    order = list(TESTS[pathlib.Path(file).stem])
    with tempfile.TemporaryDirectory(dir=ROOT / 'build') as folder:
        same = machine_code(builds[0].compile(file, text, pathlib.Path(folder)))
    start = sum(map(len, text.splitlines(keepends=True)[:options.start - 1]))
    every = sorted(change for change in set(changes(text)) if change[0] >= start)[::options.every]
    tried = unnoticed = left = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for change, result in zip(every, pool.map(lambda change: try_change(builds, file, text, change, same, order), every)):
            tried += result not in ('invalid', 'same')
            if result not in ('invalid', 'same', None):
                unnoticed += 1
                if f'{pathlib.Path(file).name}: {result}' not in known:
                    left += 1
                    line = text.count('\n', 0, change[0]) + 1
                    print(f'    {pathlib.Path(file).name}:{line}: {result}', flush=True)
    return tried, unnoticed, left


def explained():
    """The changes that cannot be noticed: a line each in the file, below the reason."""
    if not EXPLAINED.exists():
        return set()
    return {line.strip() for line in EXPLAINED.read_text().splitlines() if line.startswith('    ')}


def main():
    parser = argparse.ArgumentParser(description='Lists changes of the source that no unit test notices.')
    parser.add_argument('files', nargs='*', default=[str(path.relative_to(ROOT)) for name in TESTS
                                                               for path in ROOT.glob(f'loader/core/*/{name}.c')])
    parser.add_argument('--list', action='store_true', help='print every change, and try none')
    parser.add_argument('--every', type=int, default=1, metavar='N', help='try only every Nth change of a file')
    parser.add_argument('--from', type=int, default=1, metavar='LINE', dest='start', help='try only the changes from a line on')
    parser.add_argument('-j', '--jobs', type=int, default=os.cpu_count())
    options = parser.parse_args()
    if options.list:
        for file in options.files:
            text = (ROOT / file).read_text()
            for change in sorted(set(changes(text))):
                print(f'{file}:{describe(text, *change)}')
        return
    tests = sorted({test for file in options.files for test in TESTS[pathlib.Path(file).stem]})
    builds = [Build(name, options.files, tests) for name in BUILDS]
    known, left = explained(), 0
    for file in options.files:
        tried, unnoticed, unknown = try_file(builds, file, options, known)
        left += unknown
        print(f'{file}: {tried} changes, {tried - unnoticed} noticed, {unnoticed - unknown} explained, {unknown} left', flush=True)
    sys.exit(1 if left else 0)


if __name__ == '__main__':
    main()
