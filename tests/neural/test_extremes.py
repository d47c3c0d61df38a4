"""What must not pass for a trained network, and what must be named."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from sklearn.model_selection import GridSearchCV, train_test_split
from torch import nn

from novikoff.neural import (
    BetaLoss,
    ClockedReLU,
    Constant,
    ErrorBatches,
    Errors,
    MarginMLPClassifier,
    Power,
    ScaleFreeInfinity,
)
from novikoff.neural.network import MLP, Dropout
from novikoff.reproduce.mnist import Row, train

DEEP = {"hidden_layer_sizes": (30,) * 6, "random_state": 0}


@pytest.mark.parametrize(
    "options",
    [
        {"learning_rate": 1e3, "batch": Errors(8), "max_epochs": 10},
        {"learning_rate": 1e30, "batch": 300, "max_epochs": 1},
        {"learning_rate": 1e20, "batch": 300, "max_epochs": 2},
        {"learning_rate": 1e38, "batch": Errors(500), "max_epochs": 1},
    ],
)
def test_a_network_that_diverged_is_not_returned(few_digits, options):
    X, y = few_digits
    with pytest.raises(ValueError, match="learning rate"):
        MarginMLPClassifier(**DEEP, **options).fit(16 * X, y)


def test_cross_entropy_that_diverged_is_not_reported(few_digits):
    X, y = (torch.as_tensor(part) for part in few_digits)
    with pytest.raises(ValueError, match="diverged"):
        train(Row("", None, hidden=20, learning_rate=1e30, epochs=3), 0, (X, y), (X, y))


def test_nan_in_an_input_is_refused():
    X, y = torch.ones(3, 2), torch.tensor([[1], [1], [1]])
    X[1, 0] = torch.nan
    batches = ErrorBatches(X, y, network=nn.Linear(2, 1), loss=BetaLoss())
    with pytest.raises(ValueError, match="NaN"):
        list(batches)


def contradiction(**options):
    network = nn.Linear(1, 1)
    nn.init.zeros_(network.weight)
    nn.init.zeros_(network.bias)
    X, y = torch.ones(2, 1), torch.tensor([[1], [-1]])
    return ErrorBatches(X, y, network=network, loss=BetaLoss(), **options)


def test_passes_end_for_every_iterator():
    batches = contradiction(max_passes=3)
    first, second = iter(batches), iter(batches)
    for one in first:
        next(second, None)
        assert len(one[0]) == 2
    assert batches.passes <= 4
    batches.max_passes = 1
    assert list(batches) == []
    for wrong in (-1, 2.5, "3"):
        with pytest.raises(ValueError, match="max_passes"):
            contradiction(max_passes=wrong)


def test_what_was_exhausted_begins_anew_with_other_parameters():
    X, y = torch.ones(2, 1), torch.tensor([[1], [1]])
    network = nn.Linear(1, 1)
    nn.init.constant_(network.weight, 5.0)
    batches = ErrorBatches(X, y, network=network, loss=BetaLoss())
    assert list(batches) == [] and batches.exhausted
    nn.init.constant_(network.weight, -5.0)
    assert len(next(iter(batches))[0]) == 2


def test_errors_are_those_of_the_network_that_predicts():
    """Looking neither drops anything out, nor moves the statistics of a normalisation."""
    network = nn.Sequential(nn.BatchNorm1d(2), nn.Dropout(0.9), nn.Linear(2, 1))
    X, y = torch.randn(9, 2), torch.ones(9, 1)
    with torch.no_grad():
        network.eval()
        expected = int((network(X) <= 1.0).sum())
        network.train()
    before = copy.deepcopy(network.state_dict())
    batches = ErrorBatches(X, y, network=network, loss=BetaLoss(), errors=1, max_passes=1)
    network[0].eval()
    assert sum(1 for _ in batches) == expected
    assert [module.training for module in network] == [False, True, True]
    for name, value in network.state_dict().items():
        assert torch.equal(value, before[name])


def test_threads_do_not_share_what_is_random(few_digits):
    X, y = few_digits
    clf = MarginMLPClassifier(dropout=(0.1, 0.2), max_epochs=8, random_state=0)
    alone = clf.fit(X, y).decision_function(X)
    state = torch.get_rng_state()
    with ThreadPoolExecutor(4) as pool:
        fits = pool.map(lambda _: copy.copy(clf).fit(X, y).decision_function(X), range(4))
        assert all(np.array_equal(scores, alone) for scores in fits)
    assert torch.equal(torch.get_rng_state(), state)


def test_dropout_leaves_out_its_share():
    layer, ones = Dropout(0.25, torch.Generator().manual_seed(0)), torch.ones(100, 100)
    dropped = layer(ones)
    assert dropped.unique().tolist() == pytest.approx([0.0, 1 / 0.75])
    assert (dropped == 0).double().mean().item() == pytest.approx(0.25, abs=0.02)
    assert torch.equal(layer.eval()(ones), ones)
    again = pickle.loads(pickle.dumps(layer.train()))
    assert again.share == 0.25 and again.generator is None


def test_layers_are_drawn_as_pytorch_draws_them():
    network = MLP(64, (100,), 10, generator=torch.Generator().manual_seed(3))
    with torch.random.fork_rng():
        torch.manual_seed(3)
        theirs = nn.Sequential(nn.Linear(64, 100), nn.Linear(100, 10))
    for mine, other in zip(network.parameters(), theirs.parameters(), strict=True):
        assert torch.allclose(mine, other, rtol=1e-6, atol=0)


def test_a_failed_fit_leaves_the_old_one(few_digits):
    X, y = few_digits
    clf = MarginMLPClassifier(max_epochs=3, random_state=0).fit(X, y)
    assert clf.stopped_ == "max_epochs"
    scores = clf.decision_function(X)
    with pytest.raises(ValueError, match="class"):
        clf.fit(X[:, :10], np.zeros(len(y)))
    assert np.array_equal(clf.decision_function(X), scores)


def test_the_model_is_the_best_on_what_was_held_out(few_digits):
    X, y = few_digits
    # So large a step that the last epoch is far from the best.
    clf = MarginMLPClassifier(
        validation_fraction=0.3, patience=5, learning_rate=1.0, random_state=2
    ).fit(X, y)
    seed = int(np.random.RandomState(2).randint(np.iinfo(np.int32).max))
    _, rest, _, labels = train_test_split(X, y, test_size=0.3, random_state=seed, stratify=y)
    errors = [line.held_out_error for line in clf.history_]
    assert min(errors) < errors[-1]
    assert 1 - clf.score(rest, labels) == pytest.approx(min(errors))


def test_ctrl_c_before_the_first_epoch_is_over(few_digits, monkeypatch):
    from novikoff.neural.training import Training

    def interrupted(self):
        raise KeyboardInterrupt

    clf = MarginMLPClassifier(max_epochs=1).fit(*few_digits)
    before = vars(clf).copy()
    monkeypatch.setattr(Training, "epoch", interrupted)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(*few_digits)
    assert vars(clf) == before


def test_numpy_numbers_as_options(few_digits):
    X, y = few_digits
    grid = {"batch": np.array([16, 32]), "hidden_layer_sizes": [(np.int64(9),)]}
    clf = MarginMLPClassifier(learning_rate=0.5, max_epochs=5, random_state=0)
    GridSearchCV(clf, grid, cv=2, error_score="raise").fit(X, y)


def test_modes_of_the_caller_do_not_matter(few_digits):
    X, y = few_digits
    clf = MarginMLPClassifier(learning_rate=0.5, max_epochs=10, random_state=0)
    expected = clf.fit(X, y).decision_function(X)
    with torch.no_grad():
        assert np.array_equal(clf.fit(X, y).decision_function(X), expected)
    with torch.inference_mode():
        assert np.array_equal(clf.fit(X, y).decision_function(X), expected)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert np.array_equal(clf.fit(X, y).decision_function(X), expected)


def test_scores_that_overflow_are_named(few_digits):
    X, y = few_digits
    clf = MarginMLPClassifier(learning_rate=0.5, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="too large"):
        clf.predict(np.full((1, 64), 1e300))


def test_updates_in_the_history_are_those_of_the_clock(few_digits):
    clf = MarginMLPClassifier(batch=1, max_epochs=10, random_state=0).fit(*few_digits)
    assert clf.history_[-1].updates == clf.n_updates_ < 300 * clf.n_iter_


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dropout": 0.5}, "dropout"),
        ({"dropout": (0.1,)}, "dropout"),
        ({"momentum": None}, "momentum"),
        ({"learning_rate": "fast"}, "learning_rate"),
        ({"learning_rate": np.inf}, "learning_rate"),
        ({"schedule": 1.0}, "schedule"),
        ({"schedule": Constant}, "schedule"),
        ({"clocks": 0.1}, "clocks"),
        ({"hidden_layer_sizes": "10"}, "hidden_layer_sizes"),
        ({"hidden_layer_sizes": (True,)}, "hidden_layer_sizes"),
        ({"average": "half"}, "average"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        MarginMLPClassifier(**options).fit(np.eye(2), [0, 1])


@pytest.mark.parametrize("wrong", [0.5, Constant, max])
def test_what_is_no_schedule_is_named(wrong):
    for make in (BetaLoss, lambda schedule: ClockedReLU(3, schedule)):
        with pytest.raises(ValueError, match="schedule"):
            make(wrong)


def test_a_class_too_small_to_hold_out_is_named(few_digits):
    X, _ = few_digits
    labels = np.array(["many"] * 150 + ["some"] * 149 + ["rare"])
    with pytest.raises(ValueError, match="rare"):
        MarginMLPClassifier(validation_fraction=0.1).fit(X, labels)


@pytest.mark.parametrize("wrong", ["1", None, 10**400, float("nan"), -1.0])
def test_bad_schedules_are_named(wrong):
    with pytest.raises(ValueError, match="beta="):
        Constant(wrong)


@pytest.mark.parametrize("wrong", [0, 2.5, np.inf, True])
def test_bad_counts_are_named(wrong):
    for make in (Errors, ClockedReLU, lambda n: BetaLoss(per_neuron=True, n_outputs=n)):
        with pytest.raises(ValueError, match="whole number"):
            make(wrong)


def test_outputs_and_neurons_fit():
    loss = BetaLoss(per_neuron=True, n_outputs=3)
    for outputs in (torch.zeros(2, 1), torch.zeros(2, 5)):
        with pytest.raises(ValueError, match="n_outputs=3"):
            loss(outputs, torch.ones_like(outputs))


def test_integer_outputs_are_refused():
    with pytest.raises(ValueError, match="floating-point"):
        BetaLoss(Constant(0.5))(torch.tensor([[0, 0]]), torch.tensor([0]))
    with pytest.raises(ValueError, match="floating-point"):
        ClockedReLU(2)(torch.tensor([[0, 0]]))


def test_targets_are_indices_or_signs():
    outputs = torch.zeros(2, 3)
    for dtype in (torch.uint8, torch.uint16, torch.uint64, torch.int32):
        assert BetaLoss()(outputs, torch.tensor([0, 2]).to(dtype)) == 3.0
    with pytest.raises(ValueError, match="bool"):
        BetaLoss()(outputs, torch.ones(2, 3, dtype=torch.bool))
    with pytest.raises(ValueError, match="signs"):
        BetaLoss()(torch.zeros(2, 1), torch.tensor([0, 1]))


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (torch.ones(1, 4), "row for each"),
        (torch.ones(4), "row for each"),
        (torch.full((2, 4), torch.nan), "NaN"),
        (torch.full((2, 4), 1e200, dtype=torch.float64), "too large"),
    ],
)
def test_bad_features_leave_no_trace(features, message):
    loss = BetaLoss(ScaleFreeInfinity())
    with pytest.raises(ValueError, match=message):
        loss(torch.zeros(2, 3), torch.tensor([0, 1]), features=features)
    assert loss.rho2 == 0.0 and loss.clock == 0


def test_float16_outputs():
    outputs = torch.zeros(1000, 10, dtype=torch.float16, requires_grad=True)
    targets = torch.zeros(1000, dtype=torch.int64)
    loss = BetaLoss(Constant(100.0))(outputs, targets)
    assert loss == 1000.0
    loss.backward()
    assert outputs.grad.dtype == torch.float16
    late = BetaLoss(Power(1.0, 0.9))
    late.clock.fill_(300_000)
    assert torch.isfinite(late(outputs, targets))


def test_a_beta_beyond_range_is_blamed_on_the_schedule():
    with pytest.raises(ValueError, match="Constant"):
        BetaLoss(Constant(1e300))(torch.zeros(1, 2), torch.tensor([0]))


def test_the_state_stays_in_double_precision():
    loss = BetaLoss(ScaleFreeInfinity())
    loss(torch.zeros(1, 2), torch.tensor([0]), features=torch.full((1, 1), 1e4))
    assert loss.half().rho2 == 1e8
    assert loss.half().rho2.dtype == torch.float64
