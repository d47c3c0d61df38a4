"""idx images, whose labels are in another file: which file, only the reader decides."""

import json
from pathlib import Path

import numpy as np
import pytest

from novikoff.data.formats.idx import to_idx


@pytest.fixture
def images(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    codes = np.repeat([3, 8], 15).astype(np.uint8)
    pixels = rng.integers(0, 100, (30, 2, 2)) + np.where(codes == 8, 120, 0)[:, None, None]
    Path("train-images-idx3-ubyte").write_bytes(to_idx(pixels.astype(np.uint8)))
    Path("train-labels-idx1-ubyte").write_bytes(to_idx(codes))
    return Path("train-images-idx3-ubyte")


def test_labels_beside_the_images_are_found(run, images):
    assert run("fit", images, "-q").exit_code == 0
    result = run("verify", "model.json", images)
    assert result.exit_code == 0
    assert "classes 3 (15) and 8 (15)" in result.stdout


def test_the_file_of_the_labels_is_named_each_time(run, refused, images):
    Path("train-labels-idx1-ubyte").rename("labels.idx")
    fitted = run("fit", images, "--target", "labels.idx")
    assert fitted.exit_code == 0
    assert f"novikoff verify model.json {images} --target labels.idx\n" in fitted.stdout
    assert "labels.idx" not in Path("model.json").read_text()
    assert "pass their idx file as --target" in refused("verify", "model.json", images)
    assert run("verify", "model.json", images, "--target", "labels.idx").exit_code == 0


def test_a_model_does_not_choose_a_file_to_open(run, refused, images):
    run("fit", images, "-q")
    Path("train-labels-idx1-ubyte").rename("labels.idx")
    document = json.loads(Path("model.json").read_text())
    for key in ("about", "problem"):
        place = document["about"] if key == "about" else document["certificate"]["problem"]
        place["target"] = "labels.idx"
        Path("model.json").write_text(json.dumps(document))
        assert "pass their idx file as --target" in refused("verify", "model.json", images)
        assert run("predict", "model.json", images).exit_code == 0
