"""Times a command from its start to its exit, and prints what each run took in the manner of the other contenders."""

import json
import subprocess
import sys
import time


def main() -> int:
    repeat, command = int(sys.argv[1]), sys.argv[2:]
    seconds = []
    for _ in range(repeat):
        started = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        seconds.append(time.perf_counter() - started)
    print(json.dumps({"seconds": seconds, "peak_bytes": None}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
