"""Runs the steps of a Containerfile on this machine: `python -m tests.deploy.image CONTAINERFILE CONTEXT WORK`,
inside a mount namespace.

Where no container engine and no registry can be had this is what can be checked: each stage is an overlay over the
machine's own root, so its FROM is this machine (another Python and Node than the image's), and all else is as written:
COPY with .dockerignore, ENV, WORKDIR, RUN in a chroot. FROM scratch is an empty folder. Nothing of the machine is
changed. Afterwards the last stage's CMD is started as its USER; it ends with standard input.
"""

import fnmatch
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tests.deploy.contents import faults, installed, listed


def machine() -> dict[str, str]:
    """How this machine reaches package registries: what a builder is given as build arguments."""
    known = re.compile(r"(https?|no|all)_proxy|(pip|uv|npm)_.*|(ssl|requests|node|curl).*(cert|ca).*", re.IGNORECASE)
    return {key: value for key, value in os.environ.items() if known.fullmatch(key)}


@dataclass(slots=True, kw_only=True)
class Stage:
    """One FROM. `root`: what `/` is to its steps. `layers`: what it consists of, the first on top."""

    name: str
    root: Path
    layers: tuple[Path, ...] = ()
    workdir: str = "/"
    user: str = "0"
    entry: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=lambda: {"PATH": os.environ["PATH"]} | machine())

    def run(self, words: list[str]) -> "subprocess.Popen[bytes]":
        values = {"HOME": "/root" if self.user == "0" else "/tmp", **self.values}

        def enter() -> None:
            os.chroot(self.root)
            os.chdir(self.workdir)
            # A number needs no entry in /etc/passwd.
            os.setgroups([])
            os.setgid(int(self.user))
            os.setuid(int(self.user))

        # The image has neither chroot nor a shell.
        return subprocess.Popen(words, env=values, preexec_fn=enter, stdin=subprocess.PIPE)


def steps(text: str) -> list[tuple[str, str]]:
    """(instruction, its words) in order; continued lines are one."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    return [(word.upper(), rest.strip()) for word, _, rest in (line.partition(" ") for line in joined.splitlines())]


def ignored(patterns: list[str], path: str) -> bool:
    """Whether .dockerignore leaves out this path of the context."""
    parts = path.split("/")
    above = ["/".join(parts[: end + 1]) for end in range(len(parts))]
    for pattern in patterns:
        plain = pattern.removeprefix("**/")
        names = parts if pattern.startswith("**/") else above
        if any(fnmatch.fnmatchcase(name, plain) for name in names):
            return True
    return False


def copied(context: Path, stage: Stage, sources: list[str], target: str, patterns: list[str]) -> None:
    """COPY from the context or (without patterns) from another stage."""
    place = stage.root / str(Path(stage.workdir) / target).lstrip("/")
    for source in sources:
        found = context / source.lstrip("/")
        assert not ignored(patterns, source.strip("/")), f"COPY {source}: .dockerignore leaves it out"
        if found.is_dir():

            def skip(folder: str, names: list[str]) -> set[str]:
                here = Path(folder).relative_to(context)
                return {name for name in names if ignored(patterns, str(here / name))}

            shutil.copytree(found, place, symlinks=True, dirs_exist_ok=True, ignore=skip)
        else:
            where = place / found.name if target.endswith("/") else place
            where.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(found, where)


def begun(work: Path, number: int, name: str, base: Stage | None) -> Stage:
    """An overlay over the stage that it begins with, or over this machine's root, with /proc and /dev."""
    upper, scratch, root = (work / f"{number}{end}" for end in ("-upper", "-work", ""))
    for folder in (upper, scratch, root):
        folder.mkdir()
    layers = (upper, *(base.layers if base else (Path("/"),)))
    options = f"lowerdir={':'.join(map(str, layers[1:]))},upperdir={upper},workdir={scratch}"
    for command in (
        ["mount", "-t", "overlay", "overlay", "-o", options, str(root)],
        ["mount", "--rbind", "/proc", f"{root}/proc"],
        ["mount", "--rbind", "/dev", f"{root}/dev"],
        # pyenv and the like may have Python in root's home, where the image's user could not go.
        ["chmod", "a+rx", f"{root}/root"],
    ):
        subprocess.run(command, check=True)
    if base is None:
        return Stage(name=name, root=root, layers=layers)
    # What is set in a stage holds for those that begin with it.
    return Stage(name=name, root=root, layers=layers, workdir=base.workdir, user=base.user, values=dict(base.values))


def empty(work: Path, number: int, name: str) -> Stage:
    """FROM scratch: a folder, with /proc and /dev."""
    root = work / f"{number}"
    for folder in ("proc", "dev"):
        (root / folder).mkdir(parents=True)
        subprocess.run(["mount", "--rbind", f"/{folder}", f"{root}/{folder}"], check=True)
    return Stage(name=name, root=root, values=machine())


def filled(text: str, values: dict[str, str]) -> str:
    """With the values of its variables."""
    for name, value in values.items():
        text = text.replace(f"${name}", value).replace(f"${{{name}}}", value)
    return text


def build(containerfile: Path, context: Path, work: Path, targets: frozenset[str] = frozenset()) -> Stage:
    """The last stage, all steps done; with ``targets`` only the stages of these names.

    Raises CalledProcessError, AssertionError or OSError at the step that fails.
    """
    own = containerfile.with_name(f"{containerfile.name}.dockerignore")
    lines = (own if own.exists() else context / ".dockerignore").read_text().splitlines()
    patterns = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    stages: dict[str, Stage] = {}
    stage = Stage(name="", root=Path("/"))
    for word, rest in steps(containerfile.read_text()):
        name = rest.rpartition(" AS ")[2] if word == "FROM" else stage.name
        if targets and name not in targets:
            stage = Stage(name=name, root=Path("/"))
            continue
        sys.stdout.write(f"{word} {rest[:150]}\n")
        sys.stdout.flush()
        if word == "FROM":
            image, _as, name = (*rest.split(" "), "", "")[:3]
            if image == "scratch":
                stage = stages[name] = empty(work, len(stages), name)
            else:
                stage = stages[name] = begun(work, len(stages), name, stages.get(image))
        elif word == "WORKDIR":
            stage.workdir = rest
            (stage.root / rest.lstrip("/")).mkdir(parents=True, exist_ok=True)
        elif word == "ENV":
            for pair in shlex.split(rest):
                key, _, value = pair.partition("=")
                stage.values[key] = filled(value, stage.values)
        elif word == "COPY" and rest.startswith("--from="):
            source, *words = filled(rest, stage.values).removeprefix("--from=").split()
            owner = words.pop(0).removeprefix("--chown=") if words[0].startswith("--chown=") else ""
            *sources, target = words
            copied(stages[source].root, stage, sources, target, [])
            if owner:
                user, group = map(int, owner.split(":"))
                os.chown(stage.root / target.lstrip("/"), user, group)
        elif word == "COPY":
            *sources, target = rest.split()
            copied(context, stage, sources, target, patterns)
        elif word == "RUN":
            # Twice, as a person would retry after a registry's error.
            code = 1
            for _ in range(2):
                process = stage.run(["sh", "-c", rest])
                process.communicate()
                if not (code := process.returncode) or not re.search(r"npm ci|pip install|uv sync|apt-get", rest):
                    break
            assert code == 0, f"RUN {rest}: code {code}"
        elif word == "USER":
            stage.user = rest
        elif word == "ARG":
            key, _, value = rest.partition("=")
            stage.values.setdefault(key, value)
        elif word == "ENTRYPOINT":
            stage.entry = json.loads(rest)
        elif word == "CMD":
            stage.command = json.loads(rest)
        else:
            assert word == "EXPOSE", f"{word} is not known here"
    return [*stages.values()][-1]


def main(containerfile: Path, context: Path, work: Path, port: str) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(work)], check=True)
    stage = build(containerfile, context, work)
    assert not (found := faults(stage.root)), "\n".join(found)
    assert installed(stage.root) == {item for item in listed(stage.root) if item[0] != "generic"}
    for words in (["python", "manage.py", "check"], ["python", "manage.py", "prepare"]):
        process = stage.run(words)
        process.communicate()
        assert process.returncode == 0, words
    # K8: as OpenShift starts it, as a user that /etc/passwd doesn't know, with a data folder that any user can
    # write to.
    image_user, data = stage.user, stage.values["DATA_DIR"]
    stage.user, stage.values["DATA_DIR"] = "1000670000", "/tmp/data-of-a-user-without-a-name"
    for words in (["python", "manage.py", "prepare"], ["celery", "-A", "console.celery", "report"]):
        process = stage.run(words)
        process.communicate()
        assert process.returncode == 0, words
    stage.user, stage.values["DATA_DIR"] = image_user, data
    # As `docker run -e` on a port of this machine's loopback: without it the image starts no console that has no
    # sign-in.
    process = stage.run([*stage.entry, *stage.command])
    assert process.wait(120) == 3
    stage.values["GUARDED_IN_FRONT"] = "1"
    process = stage.run([*stage.entry, *(port if word == "9000" else word for word in stage.command)])
    try:
        sys.stdin.read()
    finally:
        process.terminate()
        process.wait(20)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4])
