"""Every rule by name, with the parameters that a test needs."""

from novikoff import rules


def unit_step_rules(*, alpha, beta=0.7, absolute=0.3, dynamic=0.4, min_over=0.3):
    """The rules whose updates are ``w += z``."""
    return {
        "classic": rules.Classic(),
        "margin": rules.Margin(beta=beta),
        "margin-absolute": rules.Margin(beta=absolute, unit="absolute"),
        "mean-norm": rules.MeanNorm(),
        "scale-free": rules.ScaleFree(),
        "scale-free-4": rules.ScaleFree(c=4.0),
        "scale-free-printed": rules.ScaleFree(printed=True),
        "infinity": rules.Infinity(alpha=alpha),
        "scale-free-infinity": rules.ScaleFreeInfinity(alpha=alpha),
        "dynamic": rules.Dynamic(accuracy=dynamic),
        "min-over": rules.MinOver(accuracy=min_over),
    }


def other_rules(*, tolerance=0.1, C=(2.0, 2.0), a=0.4):
    """The rules whose steps have lengths of their own."""
    return {
        "passive-aggressive": rules.PassiveAggressive(tolerance=tolerance),
        "pa-1": rules.PassiveAggressive(C=C[0], tolerance=tolerance),
        "pa-2": rules.PassiveAggressive(C=C[1], variant=2, tolerance=tolerance),
        "alma": rules.Alma(a=a),
    }
