# SPDX-License-Identifier: Apache-2.0
"""Tables of docs/internals/benchmarks.md from the samples."""

HALVES = {"headers": "over CCCL", "plain": "without headers"}
CONTENDERS = {
    "nvcc": "nvcc `-c`",
    "nvcc-fatbin": "nvcc `-fatbin`",
    "cubinet": "Cubinet",
    "cubinet-pch": "Cubinet, `--pch`",
}


def seconds(value):
    return "" if value is None else f"{value:.2f}" if value >= 0.1 else f"{1000 * value:.1f} ms"


def ratio(base, value):
    return "" if base is None or value is None else f"{base / value:.2f}"


def row(cells):
    return "| " + " | ".join(cells) + " |"


def rows_against(results, part, subject, base, names):
    """A row for each contender that was timed: wall, CPU, and how many times faster than the base it is."""
    walls = {name: results.median(part, subject, name, 0) for name in names}
    cpus = {name: results.median(part, subject, name, 1) for name in names}
    for name in names:
        if walls[name] is not None:
            yield [names[name], seconds(walls[name]), ratio(walls.get(base), walls[name]), seconds(cpus[name]),
                   ratio(cpus.get(base), cpus[name]), str(results.count(part, subject, name))]


def comparison(results, title, part, base, names):
    lines = []
    for half, text in HALVES.items():
        for cells in rows_against(results, part, half, base, names):
            lines.append(row([text, *cells]))
    if not lines:
        return ""
    head = [title, "", "wall, s", f"{names[base]} / it", "CPU, s", f"{names[base]} / it", "runs"]
    return "\n".join([row(head), "| --- | --- | ---: | ---: | ---: | ---: | ---: |", *lines]) + "\n\n"


def overhead(results):
    """Sums of the medians of a half's modules, and the worst of the modules."""
    lines = []
    subjects = results.data["samples"].get("overhead", {})
    for half, text in HALVES.items():
        pairs = [(results.median("overhead", subject, "bare", 1), results.median("overhead", subject, "cubinet", 1), subject)
                 for subject in subjects if subject.startswith(half + "/")]
        if pairs:
            bare, own = sum(pair[0] for pair in pairs), sum(pair[1] for pair in pairs)
            worst = max(pairs, key=lambda pair: pair[1] / pair[0])
            name = worst[2].split("/")[1]
            lines.append(row([text, f"{bare:.3f}", f"{own:.3f}", f"{own / bare:.3f}", f"{worst[1] / worst[0]:.3f} (`{name}`)"]))
    if not lines:
        return ""
    head = row(["compiles to PTX", "bare, CPU s", "`cubinet compile`, CPU s", "ratio", "worst"])
    return "\n".join([head, "| --- | ---: | ---: | ---: | ---: |", *lines]) + "\n\n"


def about(results):
    told = results.data["machine"]
    loads = results.data["load"]
    return (f"{told['date']}, {told['processor']}, {told['processors used']} cores, modules: {told['modules']}, nvcc {told['nvcc']}, Ninja {told['ninja']}, "
            f"ccache {told['ccache']}; load when it started {min(loads):.1f} to {max(loads):.1f}.\n\n")


def markdown(results):
    again = {name: CONTENDERS[name] for name in ("nvcc", "cubinet")}
    text = about(results)
    text += comparison(results, "cold build", "cold", "nvcc", CONTENDERS)
    text += overhead(results)
    for part, title in (("cache", "with a cache"), ("remote", "with a cache on loopback")):
        names = {"cubinet filling": "Cubinet, filling it", "cubinet warm": "Cubinet, from it",
                 "ccache filling": "ccache and nvcc, filling it", "ccache warm": "ccache and nvcc, from it"}
        text += comparison(results, title, part, "cubinet filling", names)
    for part, title in (("nothing", "nothing changed"), ("touched", "a header touched"), ("edited", "a header edited")):
        text += comparison(results, title, part, "nvcc", again)
    return text.rstrip("\n")
