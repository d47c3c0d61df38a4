"""Write a made-up table as people have them: words, dates, units, an identifier, missing values.

Usage: python patients_csv.py patients.csv
"""

import csv
import datetime
import random
import sys

COLUMNS = ["id", "age", "sex", "clinic", "admitted", "smoker", "platelets", "crp", "outcome"]


def patient(number: int, rng: random.Random) -> list[object]:
    """Return one row; the outcome follows age, smoking and the C-reactive protein, with noise."""
    age = rng.randint(18, 90)
    smoker = rng.random() < 0.3
    crp = round(rng.lognormvariate(2.0, 0.8), 1)
    platelets = 1000 * round(rng.gauss(250, 60))
    admitted = datetime.date(2025, 1, 1) + datetime.timedelta(days=rng.randrange(300))
    risk = (age - 55) / 20 + 1.2 * smoker + (crp - 8) / 8 + rng.gauss(0, 0.5)
    return [
        number,
        age,
        rng.choice(["female", "male"]),
        rng.choice(["north", "south", "harbour"]),
        admitted.isoformat(),
        str(smoker).lower(),
        platelets,
        "NA" if rng.random() < 0.04 else crp,
        "relapsed" if risk > 0.8 else "recovered",
    ]


def main(path: str) -> None:
    rng = random.Random(0)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(patient(1001 + number, rng) for number in range(300))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
