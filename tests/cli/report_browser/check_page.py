#!/usr/bin/env python3
"""Looks at a report in a headless Chromium: check_page.py FOLDER [--step ...]... --make COMMAND...

The command makes FOLDER/report.html; screenshots go there too. Steps:
  marks FIGURE COUNT          the picture has as many marks
  choose FIGURE LABEL OPTION  chooses in the picture's form
  hover FIGURE TEXT           the pointer on the picture's first mark shows a text with this one
  bytes MOST                  the file is no larger
Whatever the steps, the page may write no line to the console and request nothing, and in windows of 400 and 1400 px, in
light and dark, no two texts of a picture may intersect or leave it. Without a browser, or if the command ends with code
77, the check is skipped, with code 77. With ATTUNE_REQUIRE_BROWSER=1 in the environment it then fails."""
import argparse
import json
import os
import pathlib
import subprocess
import sys

import browser

# Every picture is drawn, for the window and the colours of now.
DRAWN = """(() => {
  const probe = document.body.appendChild(document.createElement("i"));
  probe.style.color = "var(--text)";
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return [...document.querySelectorAll("figure")].every(figure => {
    const place = figure.querySelector(".chart"), text = place.querySelector("svg text");
    return figure.getAttribute("aria-busy") === "false" && +place.dataset.width === place.clientWidth &&
           (!text || getComputedStyle(text).fill === colour);
  });
})()"""

# The texts that intersect, leave their picture, or have no size; and whether the page is wider than its window.
FAULTS = """(() => {
  const faults = [], name = text => JSON.stringify(text.textContent.slice(0, 40));
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.5 &&
                         Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.5;
  for (const svg of document.querySelectorAll("figure svg")) {
    const within = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")].filter(text => text.textContent.trim() && getComputedStyle(text).opacity > 0
        && !text.closest('[opacity="0"]') && getComputedStyle(text).display !== "none");
    if (texts.length === 0) faults.push("a picture without text");
    const boxes = texts.map(text => text.getBoundingClientRect());
    boxes.forEach((box, i) => {
      if (box.width === 0 || box.height === 0) faults.push(`no size: ${name(texts[i])}`);
      if (box.left < within.left - 1 || box.right > within.right + 1 || box.top < within.top - 1 || box.bottom > within.bottom + 1)
        faults.push(`outside of its picture: ${name(texts[i])}`);
      for (let k = 0; k < i; ++k) if (meet(box, boxes[k])) faults.push(`intersect: ${name(texts[k])} ${name(texts[i])}`);
    });
  }
  if (document.scrollingElement.scrollWidth > innerWidth) faults.push(`${document.scrollingElement.scrollWidth} px wide`);
  return faults;
})()"""

CHOOSE = """(([figure, label, option]) => {
  const all = [...document.getElementById(figure).querySelectorAll("label")];
  const select = all.find(each => each.firstChild.textContent === label)?.querySelector("select");
  const chosen = [...select?.options ?? []].find(each => each.textContent === option);
  if (!chosen) return false;
  const filters = select.closest("details");
  if (filters) filters.open = true;
  select.value = chosen.value;
  select.dispatchEvent(new Event("change", { bubbles: true }));
  return true;
})(%s)"""

MARKS = 'document.getElementById(%s).querySelectorAll("svg g.role-mark path").length'


PLACE = """(figure => {
  const mark = document.getElementById(figure).querySelector("svg g.role-mark path");
  mark.scrollIntoView({ block: "center" });
  const { x, y, width, height } = mark.getBoundingClientRect();
  return { x: x + width / 2, y: y + height / 2 };
})(%s)"""

TOOLTIP = 'document.querySelector("#tooltip:not([hidden])")?.textContent.includes(%s)'


def take_step(page, step, size):
    """Returns what is wrong, or None."""
    what, *values = step
    if what == "marks":
        count = page.evaluate(MARKS % json.dumps(values[0]))
        return None if count == int(values[1]) else f"{count} marks"
    if what == "bytes":
        return None if size <= int(values[0]) else f"{size} bytes"
    if what == "choose":
        if not page.evaluate(CHOOSE % json.dumps(values)):
            return "there is no such choice"
        page.await_true(DRAWN)
    elif what == "hover":
        page.call("Input.dispatchMouseEvent", type="mouseMoved", **page.evaluate(PLACE % json.dumps(values[0])))
        page.await_true(TOOLTIP % json.dumps(values[1]), 10)
    else:
        return "is no step"
    return None


def looks(page, folder, stem):
    """Returns the faults of the page in four windows, of which it makes pictures."""
    faults = []
    for width in (400, 1400):
        for scheme in ("light", "dark"):
            page.look(width, scheme)
            page.await_true(DRAWN)
            faults += [f"{width} px, {scheme}: {fault}" for fault in page.evaluate(FAULTS)]
            page.screenshot(folder / f"{stem}_{width}_{scheme}.png")
    return faults


def without_script(page, url, folder):
    page.call("Emulation.setScriptExecutionDisabled", value=True)
    page.look(400, "light")
    page.open(url)
    page.screenshot(folder / "without_script.png")
    shown = page.evaluate("[...document.querySelectorAll('figure')].filter(each => each.offsetHeight > 0).length")
    return ["pictures have a place though they cannot be drawn"] if shown else []


def check(program, given):
    """Returns what is wrong with the page, which is made."""
    file = given.folder / "report.html"
    url = file.resolve().as_uri()
    with browser.Browser(program) as page:
        page.look(1400, "light")
        page.open(url)
        page.await_true(DRAWN)
        faults = looks(page, given.folder, "opened")
        for step in given.steps:
            wrong = take_step(page, step, file.stat().st_size)
            faults += [f"step {' '.join(step)}: {wrong}"] if wrong else []
        faults += looks(page, given.folder, "chosen") if given.steps else []
        faults += without_script(page, url, given.folder)
        return faults + page.complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--step", dest="steps", nargs="+", action="append", default=[])
    parser.add_argument("--make", nargs=argparse.REMAINDER, required=True)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    made = subprocess.run(given.make).returncode
    program = browser.program()
    if made == 77 or program is None:
        print(f"skipped: {'there is no bundle' if made == 77 else f'none of {browser.NAMES} is installed'}")
        return 1 if os.environ.get("ATTUNE_REQUIRE_BROWSER") == "1" else 77
    faults = [f"{given.make[0]} ended with {made}"] if made else check(program, given)
    for fault in faults:
        print(fault[:500])
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
