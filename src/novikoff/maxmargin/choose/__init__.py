"""The choice of a solver for a margin problem.

======================  ==========================================================================
``wolfe``               minimum-norm point on a working set: hard margins, and soft ones that are
                        nearly hard
``wolfe-precise``       the same on the vectors themselves, where the Gram matrix lacks digits
``wolfe-equilibrated``  the same with all columns brought to one scale, for the verdict alone
``wolfe-rational``      the same in rational arithmetic, for the verdict alone
``newton``              finite Newton in the primal: soft margins of many examples and few features
``pivoting``            block principal pivoting in the dual: dense soft margins of few examples,
                        and sparse ones that few examples carry
``coordinate``          dual coordinate descent: sparse data, and dense data with more features than
                        examples
``slacks``              the slacks of a soft margin prove that nothing separates the examples
``equal-rows``          two equal examples of different classes prove it
``warm-start``          the proof of an earlier fit holds
======================  ==========================================================================

``Solution.solver`` names the solvers used, in order, joined by ``+``. A solver that finds that
another suits the problem better gives up, and the other continues with the same clock; the better
bounds of both are kept.
"""
