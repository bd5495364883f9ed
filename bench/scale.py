#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a cache on other machines saves a team: a simulation of developers and CI that build one project.

    bench/scale.py [--days N] [--developers N] [--sources N] [--server-limit GB] [--seed N] [--json]

Three ways of working are compared: each machine for itself; a server that CI writes and all read; a server that all
write. What one compile and one entry cost is measured (docs/guide/scale.md says where); what people do is assumed, and said
below. The same arguments give the same figures."""
import argparse
import collections
import dataclasses
import json
import random

SECONDS_A_DAY = 86400


@dataclasses.dataclass
class Project:
    """Sources, headers of the project's own, and what one source costs. Headers are included by a share of the sources
    that falls from `widest_header` with their rank."""
    sources: int = 1000
    headers: int = 100
    widest_header: float = 0.5
    compiles: int = 6  # processes for each source: virtual architectures, which serve 12 real ones
    compile_seconds: float = 1.41  # of a processor, for one process without a cache
    hit_seconds: float = 0.007  # for one that finds its result in the folder
    remote_seconds: float = 0.016  # for one that fetches it
    remote_trips: int = 5  # times that it waits for the server: to connect, and for four answers
    result_bytes: int = 5600  # of one result: the archive and messages
    manifest_bytes: int = 28000  # of what says which files it was made of


@dataclasses.dataclass
class Team:
    """A day: everyone lands `commits` commits, for each of which he pulls and builds, edits and builds several times,
    and perhaps goes back to what he pulled and returns. CI builds each commit from nothing on a fresh machine."""
    developers: int = 20
    commits: int = 2
    edits: int = 12  # builds between editing, in a day
    header_commits: float = 0.1  # share of the commits that change a header too
    returns: float = 0.5  # share of the commits for which someone goes back and returns
    cores: int = 16  # of each machine
    round_trip: float = 0.001  # seconds, between a machine and the server
    bytes_a_second: float = 100e6  # likewise
    local_limit: int = 1 << 30  # bytes of each developer's folder


class Store:
    """Entries by key, of which the least recently used go when there is no room."""

    def __init__(self, limit):
        self.limit = limit
        self.bytes = 0
        self.evictions = 0
        self.entries = collections.OrderedDict()

    def find(self, key):
        if key not in self.entries:
            return False
        self.entries.move_to_end(key)
        return True

    def add(self, key, size):
        if key in self.entries:
            self.entries.move_to_end(key)
            return
        self.entries[key] = size
        self.bytes += size
        while self.bytes > self.limit:
            self.bytes -= self.entries.popitem(last=False)[1]
            self.evictions += 1


class Sources:
    """The state of each source and what it includes, as a number that no other state has."""

    def __init__(self, project, chance):
        self.states = list(range(project.sources))
        self.next_state = project.sources
        self.chance = chance
        self.users = []
        for rank in range(project.headers):
            share = project.widest_header / (rank + 1)
            self.users.append([source for source in range(project.sources) if chance.random() < share])

    def new_state(self):
        self.next_state += 1
        return self.next_state

    def touched(self, header_too):
        """The sources that a change to one or a few files has compiled again."""
        count = min(self.chance.randint(1, 3), len(self.states))
        touched = set(self.chance.sample(range(len(self.states)), count))
        if header_too:
            touched.update(self.chance.choice(self.users))
        return sorted(touched)


@dataclasses.dataclass
class Figures:
    """What builds did; counts are of compiles."""
    builds: int = 0
    local: int = 0
    remote: int = 0
    made: int = 0
    downloaded: int = 0
    uploaded: int = 0
    seconds: float = 0.0  # that builds took, one after another

    def __iadd__(self, other):
        for field in dataclasses.fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))
        return self


class Simulation:
    def __init__(self, project, team, days, server_limit, ci_writes, all_write, seed):
        self.project = project
        self.team = team
        self.days = days
        self.chance = random.Random(seed)
        self.main = Sources(project, self.chance)
        self.server = Store(server_limit) if ci_writes else None
        self.all_write = all_write
        self.folders = [Store(team.local_limit) for _ in range(team.developers)]
        self.built = [None] * team.developers  # the states that each developer's build folder has
        self.ci = Figures()
        self.people = Figures()

    def source_bytes(self):
        return self.project.compiles * (self.project.result_bytes + self.project.manifest_bytes)

    def build(self, states, folder, writes):
        """Builds these sources; Ninja has left out what is up to date."""
        project, team, size = self.project, self.team, self.source_bytes()
        local = remote = made = 0
        for state in states:
            if folder.find(state):
                local += 1
            elif self.server and self.server.find(state):
                remote += 1
            else:
                made += 1
                if self.server and writes:
                    self.server.add(state, size)
            folder.add(state, size)
        figures = Figures(1, *(count * project.compiles for count in (local, remote, made)))
        figures.downloaded = remote * size
        figures.uploaded = made * size if self.server and writes else 0
        fetch_seconds = project.remote_seconds + project.remote_trips * team.round_trip
        work = (figures.local * project.hit_seconds + figures.remote * fetch_seconds +
                figures.made * project.compile_seconds) / team.cores
        figures.seconds = max(work, (figures.downloaded + figures.uploaded) / team.bytes_a_second)
        return figures

    def run_ci(self):
        """From nothing, on a machine that has nothing."""
        self.ci += self.build(self.main.states, Store(1 << 62), self.server is not None)

    def build_as(self, developer, states):
        known = self.built[developer]
        changed = states if known is None else [state for state, old in zip(states, known) if state != old]
        self.people += self.build(changed, self.folders[developer], self.all_write)
        self.built[developer] = list(states)

    def land(self, base, states):
        """Merges a change into the main line. What others changed meanwhile is a state that nobody has built."""
        for source, (old, new) in enumerate(zip(base, states)):
            if old != new:
                same = self.main.states[source] == old
                self.main.states[source] = new if same else self.main.new_state()
        self.run_ci()

    def work(self, developer):
        """From a pull to a commit: the states that it began and ended with."""
        team, main = self.team, self.main
        base = list(main.states)
        self.build_as(developer, base)
        states = list(base)
        touched = main.touched(self.chance.random() < team.header_commits)
        for edit in range(team.edits // team.commits):
            # The first build is of all that the change is about, most others are of one source of it.
            for source in touched if edit == 0 else touched[:1]:
                states[source] = main.new_state()
            self.build_as(developer, states)
        if self.chance.random() < team.returns:
            self.build_as(developer, base)
            self.build_as(developer, states)
        return base, states

    def run(self):
        self.run_ci()
        for _ in range(self.days):
            for _ in range(self.team.commits):
                changes = [self.work(developer) for developer in range(self.team.developers)]
                for base, states in changes:
                    self.land(base, states)
        return self


def share(part, figures):
    whole = figures.local + figures.remote + figures.made
    return part / whole if whole else 0.0


def report(simulation):
    """What is printed of one way of working."""
    days = simulation.days
    both = Figures()
    both += simulation.ci
    both += simulation.people
    server = simulation.server
    compile_hours = both.made * simulation.project.compile_seconds / 3600
    return {
        "CI builds": simulation.ci.builds,
        "CI: found on the server": share(simulation.ci.remote, simulation.ci),
        "CI: seconds a build": simulation.ci.seconds / simulation.ci.builds,
        "developers' builds": simulation.people.builds,
        "developers: found in their folder": share(simulation.people.local, simulation.people),
        "developers: found on the server": share(simulation.people.remote, simulation.people),
        "developers: seconds a build": simulation.people.seconds / max(simulation.people.builds, 1),
        "core hours of compiling a day": compile_hours / days,
        "GB from the server a day": both.downloaded / days / 1e9,
        "GB to the server a day": both.uploaded / days / 1e9,
        "GB on the server": server.bytes / 1e9 if server else 0.0,
        "evictions": server.evictions if server else 0,
    }


WAYS = {
    "each for itself": (False, False),
    "CI writes": (True, False),
    "all write": (True, True),
}


def simulate(project, team, days, server_limit, seed):
    return {way: report(Simulation(project, team, days, server_limit, *who, seed).run()) for way, who in WAYS.items()}


def text_of(name, value):
    if isinstance(value, int):
        return "%d" % value
    if ": found" in name:
        return "%.1f %%" % (100 * value)
    return "%.2f" % value if value < 10 else "%.0f" % value


def print_table(reports):
    names = list(next(iter(reports.values())))
    print("%-36s" % "" + "".join("%18s" % way for way in reports))
    for name in names:
        print("%-36s" % name + "".join("%18s" % text_of(name, report[name]) for report in reports.values()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--days", type=int, default=20)
    parser.add_argument("--developers", type=int, default=Team.developers)
    parser.add_argument("--sources", type=int, default=Project.sources)
    parser.add_argument("--server-limit", type=float, default=50.0, metavar="GB")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    reports = simulate(Project(sources=arguments.sources), Team(developers=arguments.developers), arguments.days,
                       int(arguments.server_limit * 1e9), arguments.seed)
    if arguments.json:
        print(json.dumps(reports, indent=2))
    else:
        print_table(reports)


if __name__ == "__main__":
    main()
