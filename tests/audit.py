"""`make audit`: known vulnerabilities of what is installed, where their data can be had; else, and always, the table of
versions and licences, none of which may be the GPL in the core."""

import subprocess
import sys
from importlib.metadata import Distribution, distribution
from importlib.metadata import requires as requirements_of

from packaging.requirements import Requirement

CORE = "recrawl"
UNWELCOME = ("AGPL", "GNU General Public", "GPL-3", "GPL-2", "GPLv")
NETWORK_FAILED = ("ConnectionError", "Max retries", "Failed to establish", "ServiceError", "Could not", "timed out")


def main() -> int:
    rows = [(name, one.version, licence(one)) for name, one in sorted(core().items())]
    width = max(len(name) for name, _, _ in rows)
    for name, version, words in rows:
        print(f"{name:<{width}}  {version:<12}  {words}")
    bad = [name for name, _, words in rows if any(one in words for one in UNWELCOME) and "LGPL" not in words]
    print(
        f"{len(rows)} packages in the core" + (f"; under the GPL: {', '.join(bad)}" if bad else ", none under the GPL")
    )
    return max(int(bool(bad)), known_vulnerabilities())


def core() -> dict[str, Distribution]:
    """What recrawl needs, and what that needs, without extras."""
    found: dict[str, Distribution] = {}
    wanted = [CORE]
    while wanted:
        name = wanted.pop()
        for text in requirements_of(name) or ():
            need = Requirement(text)
            key = need.name.lower().replace("_", "-")
            if key not in found and (need.marker is None or need.marker.evaluate({"extra": ""})):
                found[key] = distribution(need.name)
                wanted.append(need.name)
    return found


def licence(one: Distribution) -> str:
    facts = one.metadata
    said = [
        text.rpartition("::")[2].strip() for text in facts.get_all("Classifier") or () if text.startswith("License")
    ]
    return (facts.get("License-Expression") or "; ".join(said) or facts.get("License") or "unknown").splitlines()[0][
        :60
    ]


def known_vulnerabilities() -> int:
    """pip-audit's exit code; 0 with a word if it is not installed or its data cannot be had."""
    words = [sys.executable, "-m", "pip_audit", "--progress-spinner", "off", "--skip-editable"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if "No module named" in done.stderr:
        print("pip-audit is not installed (pip install pip-audit): known vulnerabilities were not looked up")
        return 0
    if done.returncode and any(word in done.stderr for word in NETWORK_FAILED):
        print("the data of known vulnerabilities cannot be reached from here: not looked up")
        return 0
    print(done.stdout + done.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
