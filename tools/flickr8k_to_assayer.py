#!/usr/bin/env python3
"""Make Assayer's files of the Flickr8k text distribution.

It is that of Hodosh, Young and Hockenmaier, JAIR 47, 2013.

    python3 tools/flickr8k_to_assayer.py FOLDER OUT

FOLDER holds ExpertAnnotations.txt, Flickr8k.token.txt and Flickr_8k.testImages.txt, plain or
gzipped. Written are collection.jsonl (the captions experts judged, and the images), reference.qrels
(each caption's own image), experts.csv (three columns of grades 1 to 4) and image_texts.jsonl (an
image's other captions, for text searches to rank). Needs nothing but Python.
"""

import csv
import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path

EXPERTS = ("expert1", "expert2", "expert3")
BEST = 4


def main(folder: Path, out: Path) -> None:
    """Read the folder, write the files."""
    out.mkdir(parents=True, exist_ok=True)
    captions = dict(rows(folder, "Flickr8k.token.txt"))
    ratings = list(rows(folder, "ExpertAnnotations.txt"))
    queries = sorted({caption for _, caption, *_ in ratings})
    images = {image for image, *_ in ratings} | {own_image(caption) for caption in queries}
    images |= {image for (image,) in rows(folder, "Flickr_8k.testImages.txt")}
    write_collection(
        out / "collection.jsonl", {query: captions[query] for query in queries}, sorted(images)
    )
    with open(out / "reference.qrels", "w") as file:
        file.writelines(f"{query} 0 {own_image(query)} {BEST}\n" for query in queries)
    with open(out / "experts.csv", "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["query", "document", *EXPERTS])
        table.writerows([caption, image, *grades] for image, caption, *grades in ratings)
    write_texts(out / "image_texts.jsonl", captions, images, set(queries))
    print(
        f"{len(queries):,} captions, {len(images):,} images, {len(ratings):,} judged pairs in {out}"
    )


def rows(folder: Path, name: str) -> Iterator[list[str]]:
    """The cells of each line of a file, plain or gzipped."""
    packed = folder / f"{name}.gz"
    text = gzip.decompress(packed.read_bytes()) if packed.exists() else (folder / name).read_bytes()
    yield from (line.split("\t") for line in text.decode().splitlines() if line.strip())


def own_image(caption: str) -> str:
    """The image a caption was written for: the corpus names captions "image#number"."""
    return caption.rpartition("#")[0]


def write_collection(path: Path, queries: dict[str, str], images: list[str]) -> None:
    """Write captions as queries and, as the corpus has no pictures, images without parts."""
    with open(path, "w", encoding="utf-8") as file:
        for query, text in queries.items():
            file.write(json.dumps({"side": "query", "id": query, "text": text}) + "\n")
        for image in images:
            file.write(json.dumps({"side": "document", "id": image, "parts": []}) + "\n")


def write_texts(path: Path, captions: dict[str, str], images: set[str], queries: set[str]) -> None:
    """Write the text of each image for text searches: its captions that are no queries."""
    texts: dict[str, list[str]] = {image: [] for image in sorted(images)}
    for caption, text in captions.items():
        if caption not in queries and own_image(caption) in texts:
            texts[own_image(caption)].append(text)
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(
            json.dumps({"id": image, "text": " ".join(image_captions)}) + "\n"
            for image, image_captions in texts.items()
        )


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
