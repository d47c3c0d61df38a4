"""Find out why a statsmodels GLM has huge standard errors: is the data separated, and by what?

Needs statsmodels: ``pip install statsmodels``.
"""

import numpy as np
import pandas as pd
import statsmodels.api as sm

import novikoff

rng = np.random.default_rng(0)
n = 80
patients = pd.DataFrame(
    {
        "age": rng.normal(60, 10, n).round(),
        "dose": rng.integers(1, 6, n),
        "invasion": (rng.random(n) < 0.2).astype(int),
    }
)
risk = 0.05 * (patients.age - 60) + 0.3 * (patients.dose - 3) + rng.logistic(size=n)
patients["relapse"] = ((risk > 0) | (patients.invasion == 1)).astype(int)

exog = sm.add_constant(patients[["age", "dose", "invasion"]].astype(float))
fitted = sm.GLM(patients.relapse, exog, family=sm.families.Binomial()).fit()
print("statsmodels says:")
print(pd.DataFrame({"estimate": fitted.params, "standard error": fitted.bse}).round(2))

print("\nnovikoff.separation.explain says:")
print(novikoff.separation.explain(exog, patients.relapse))

verdict = novikoff.separation(exog, patients.relapse, fit_intercept=False)
print("\nThe estimates, each with its proof:", verdict.columns)
print(verdict.verify(exog, patients.relapse))

print("\nWithout the column, the estimates exist:")
without = novikoff.separation(exog.drop(columns="invasion"), patients.relapse, fit_intercept=False)
print(without.headline())
