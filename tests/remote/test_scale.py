#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The simulation of a team that shares a cache (bench/scale.py): a case that can be counted by hand, and what always
holds."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench"))
import scale  # noqa: E402

SMALL = scale.Project(sources=60, headers=5)
TEAM = scale.Team(developers=3)


def simulate(ci_writes, all_write, project=SMALL, team=TEAM, days=3, limit=1 << 40, seed=1):
    return scale.Simulation(project, team, days, limit, ci_writes, all_write, seed).run()


class ScaleTest(unittest.TestCase):
    def test_one_source_counted_by_hand(self):
        """CI builds, someone pulls, edits once and commits, CI builds again; a source is two compiles."""
        project = scale.Project(sources=1, headers=0, compiles=2, result_bytes=100, manifest_bytes=10)
        team = scale.Team(developers=1, commits=1, edits=1, returns=0.0)
        expected = {  # what CI made and fetched, and what the developer did
            "each for itself": (4, 0, 4, 0),
            "CI writes": (4, 0, 2, 2),
            "all write": (2, 2, 2, 2),
        }
        for way, who in scale.WAYS.items():
            with self.subTest(way):
                run = simulate(*who, project=project, team=team, days=1)
                self.assertEqual((run.ci.made, run.ci.remote, run.people.made, run.people.remote), expected[way])
                self.assertEqual((run.ci.builds, run.people.builds), (2, 2))
                self.assertEqual(run.people.downloaded, run.people.remote * 110)
                self.assertEqual(run.ci.uploaded, run.ci.made * 110 if run.server else 0)

    def test_the_same_arguments_give_the_same_figures(self):
        def figures(seed):
            return scale.simulate(SMALL, TEAM, 2, 1 << 40, seed)
        self.assertEqual(figures(1), figures(1))
        self.assertNotEqual(figures(1), figures(2))

    def test_who_writes_changes_where_results_come_from_alone(self):
        runs = [simulate(*who) for who in scale.WAYS.values()]
        for part in ("ci", "people"):
            figures = [getattr(run, part) for run in runs]
            self.assertEqual(len({one.local + one.remote + one.made for one in figures}), 1)
            self.assertEqual(len({one.local for one in figures}), 1)
            self.assertGreater(figures[0].made, figures[1].made)
            self.assertGreaterEqual(figures[1].made, figures[2].made)
            self.assertEqual(figures[0].remote, 0)

    def test_all_that_is_sent_is_on_a_server_that_is_large_enough(self):
        run = simulate(True, True)
        self.assertEqual(run.server.bytes, run.ci.uploaded + run.people.uploaded)
        self.assertEqual(run.server.evictions, 0)

    def test_a_small_server_forgets(self):
        large, small = simulate(True, False), simulate(True, False, limit=20 * simulate(True, False).source_bytes())
        self.assertGreater(small.server.evictions, 0)
        self.assertLessEqual(small.server.bytes, small.server.limit)
        self.assertGreater(small.ci.made, large.ci.made)

    def test_a_store_forgets_what_was_not_used_for_longest(self):
        store = scale.Store(30)
        for key in "abc":
            store.add(key, 10)
        self.assertTrue(store.find("a"))
        store.add("d", 10)
        self.assertEqual([store.find(key) for key in "abcd"], [True, False, True, True])
        self.assertEqual((store.bytes, store.evictions), (30, 1))


if __name__ == "__main__":
    unittest.main(verbosity=2)
