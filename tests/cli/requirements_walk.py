#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cubinet requirements --json` says of every GPU, driver and nvJitLink what `cubinet explain` says:
`requirements_walk.py COMMAND MAKE_ARCHIVE GOLDEN [ARCHIVE...]`. GOLDEN is tests/golden; the archives are a build's, if it has them."""

import json
import pathlib
import subprocess
import sys
import tempfile

COMMAND, MAKE_ARCHIVE, GOLDEN = sys.argv[1:4]
BUILT = [pathlib.Path(path) for path in sys.argv[4:] if pathlib.Path(path).exists()]
DRIVERS = [f"{major}.{minor}" for major, last in ((12, 9), (13, 6)) for minor in range(last + 1)] + ["14.0", None]
LINKERS = ["none", "12.0", "12.7", "12.8", "12.9", "13.0", "13.3", "13.4", "13.5", "14.0"]
FEW_LINKERS = ["none", "12.9", "13.5"]
PTX = """.version {isa}
.target {target}
.address_size 64
{extern}.visible .entry shape() {{ {call}ret; }}
"""


def release(text):
    return tuple(int(number) for number in text.split("."))


def run(*arguments):
    return subprocess.run([str(argument) for argument in arguments], capture_output=True, check=True, text=True).stdout


def claimed(runs, driver, linker):
    """The step that holds for a driver (None: one that takes anything) and an nvJitLink, as docs/guide/requirements.md says."""
    ranges = [step["nvjitlink"] for step in runs if step["nvjitlink"]]
    mine = None
    for span in ranges:
        if linker != "none" and release(span["from"]) <= release(linker) < release(span["before"]):
            mine = span
    steps = [step for step in runs if step["nvjitlink"] == mine
             and (driver is None or (step["driver"] and release(step["driver"]) <= release(driver)))]
    return steps[-1] if steps else None


def meets_conda(terms, device, driver):
    """Whether conda's solver lets a machine with one GPU have the package; it knows nothing of nvJitLink there."""
    wanted = dict(term.split(" >=") for term in terms["depends"] if term.startswith("__"))
    return release(device) >= release(wanted["__cuda_arch"]) and release(driver) >= release(wanted["__cuda"])


def meets_wheel(terms, device, driver):
    """Whether a wheel with these properties is for a machine with one GPU: one value of each feature has to fit."""
    major, minor = release(device)
    mine = {f"nvidia :: sm_arch :: {major}{lower}_real" for lower in range(minor + 1)}
    mine.add(f"nvidia :: sm_arch :: {major}0_virtual")
    least = [term.split(" :: ")[2] for term in terms["properties"] if "cuda_version_lower_bound" in term]
    return bool(mine & set(terms["properties"])) and release(driver) >= release(least[0])


def compare_terms(name, said, every):
    """every: whether all modules run, by device, driver and nvJitLink."""
    problems = []
    archive = said["archive"]
    linker = archive["nvjitlink"]["from"] if archive["nvjitlink"] else "none"
    for terms, meets in ((said["conda"], meets_conda), (said["wheel_variant"], meets_wheel)):
        for (device, driver, with_linker), runs in every.items():
            if terms is None or driver is None or with_linker != linker:
                continue
            met = meets(terms, device, driver) and device not in terms["except"]
            if met and not runs:
                problems.append(f"{name}: {terms} lets through {device}, driver {driver}, nvJitLink {linker}")
            if driver == archive["driver"] and runs and not met:
                problems.append(f"{name}: {terms} keeps out {device}, driver {driver}, nvJitLink {linker}")
    return problems


def compare(archive, is_linked):
    said = json.loads(run(COMMAND, "requirements", archive, "--json"))
    claims = {(module["module"], device["device"]): device["runs"]
              for module in said["modules"] for device in module["devices"]}
    whole = {device["device"]: device["runs"] for device in said["archive"]["devices"]}
    never = {module["module"] for module in said["modules"]
             if not module["later"] and not any(device["runs"] for device in module["devices"])}
    problems = []
    every = {}
    count = 0
    for driver in DRIVERS:
        for linker in LINKERS if is_linked else FEW_LINKERS:
            options = ["--nvjitlink", linker] + (["--driver", driver] if driver else [])
            explained = json.loads(run(COMMAND, "explain", archive, "--device", "all", *options, "--json"))
            for entry in explained["modules"]:
                step = claimed(claims[entry["module"], entry["device"]], driver, linker)
                target = step.get("target") if step else None
                count += 1
                if target != entry["chosen"]:
                    problems.append(f"{archive.name}: {entry['module']} on {entry['device']}, driver {driver}, nvJitLink "
                                    f"{linker}: explain says {entry['chosen']}, requirements {target}")
                if entry["module"] not in never:
                    key = entry["device"], driver, linker
                    every[key] = every.get(key, True) and entry["chosen"] is not None
    for (device, driver, linker), runs in every.items():
        step = claimed(whole[device], driver, linker)
        if bool(step and step["how"]) != runs:
            problems.append(f"{archive.name}: on {device}, driver {driver}, nvJitLink {linker} every module "
                            f"{'runs' if runs else 'does not run'}, and requirements says otherwise")
    return count, problems + compare_terms(archive.name, said, every)


def make_archives(folder):
    """Archives of all kinds of images, with holes, with suffixes, and of several modules: each with whether it has LTO-IR."""
    def ptx(name, isa, target, needs=False):
        path = folder / f"{name}.ptx"
        path.write_text(PTX.format(isa=isa, target=target, extern=".extern .func helper();\n" if needs else "",
                                   call="call helper; " if needs else ""))
        return path

    other = folder / "other.bin"
    other.write_bytes(bytes(1000))
    cubins = sorted(pathlib.Path(GOLDEN, "cubin").glob("*_cuda*.cubin"))
    contents = {
        "all_cubins": [cubin for cubin in cubins if cubin.name not in
                       ("sm_80_cuda12.4.cubin", "sm_90a_cuda12.9.cubin")],
        "only_90a": [cubin for cubin in cubins if cubin.name == "sm_90a_cuda12.9.cubin"],
        "only_family": [f"{cubin}=sm_100f" for cubin in cubins if cubin.name == "sm_100f_cuda13.0.cubin"],
        "two_makers": [cubin for cubin in cubins if cubin.name in ("sm_80_cuda12.4.cubin", "sm_90_cuda13.0.cubin")],
        "ptx": [ptx("ptx", "8.4", "sm_80")],
        "old_ptx": [ptx("old", "6.0", "sm_60")],
        "new_ptx": [ptx("new", "9.5", "sm_75"), ptx("newer", "9.0", "sm_90")],
        "ptx_suffixes": [f"{ptx('a', '8.6', 'sm_90a')}=compute_90a", f"{ptx('f', '8.8', 'sm_100f')}=compute_100f",
                         f"{ptx('f120', '8.8', 'sm_120f')}=compute_120f"],
        "holes": [next(cubin for cubin in cubins if cubin.name == "sm_60_cuda12.9.cubin"),
                  next(cubin for cubin in cubins if cubin.name == "sm_90_cuda13.0.cubin"),
                  f"{ptx('hole', '8.7', 'sm_101a')}=compute_101a"],
        "lto": [f"{other}=lto_75"],
        "lto_suffixes": [f"{other}=lto_90a", f"{other}=lto_100f", f"{other}=lto_121"],
        "lto_and_ptx": [f"{other}=lto_80", ptx("beside", "8.0", "sm_75")],
        "optix": [f"{other}=optix_75"],
        "needs": [ptx("needs", "8.0", "sm_75", needs=True), f"{other}=lto_90"],
        "tile": [f"{tile}=tile_{tile.stem[6:].replace('.', '')}"
                 for tile in sorted(pathlib.Path(GOLDEN, "tileir").glob("*.tileirbc"))],
    }
    archives = []
    for name, files in contents.items():
        path = folder / f"{name}.cubinet"
        run(MAKE_ARCHIVE, path, name, *files)
        archives.append((path, any("=lto_" in str(file) for file in files)))
    single = [path for path, _ in archives]
    for name, parts in (("several", ("all_cubins", "ptx", "lto_and_ptx")), ("with_holes", ("holes", "two_makers")),
                        ("nothing_common", ("only_90a", "only_family")), ("everything", contents)):
        path = folder / f"{name}.cubinet"
        run(COMMAND, "pack", *[file for file in single if file.stem in parts], "-o", path)
        archives.append((path, True))
    return archives


def main():
    total = 0
    problems = []
    with tempfile.TemporaryDirectory(prefix="cubinet-test-") as folder:
        archives = make_archives(pathlib.Path(folder))
        for archive, is_linked in archives + [(path, "lto_" in run(COMMAND, "list", path)) for path in BUILT]:
            count, found = compare(archive, is_linked)
            total += count
            problems += found
    print("\n".join(problems[:40]))
    print(f"{total} verdicts of {len(archives) + len(BUILT)} archives, {len(problems)} of them claimed otherwise")
    sys.exit(1 if problems or not total else 0)


if __name__ == "__main__":
    main()
