// The end of a batch: what was done in it and what is left. It stands beside the first card of the next batch and goes with
// the first answer: who judges thousands of pairs presses no key for it. No level moves as it comes or goes, for then the
// next press would be another answer: on a large screen it stands in place of the actions, whose keys go on working.

export class BatchEnd {
  /** @param {Element} root the judge screen  @param {() => void} focusBack to the card */
  constructor(root, focusBack) {
    this.box = root.querySelector("#batch-end");
    this.text = root.querySelector("#batch-end-text");
    // the same where no card is left to stand beside
    this.alone = root.querySelector("#empty-batch");
    this.focusBack = focusBack;
  }

  /** @param {string | null} words nothing where no batch ended */
  show(words) {
    if (!words) return;
    this.say(words);
  }

  hide() {
    this.say("");
  }

  say(words) {
    this.box.hidden = this.alone.hidden = !words;
    this.box.parentElement.classList.toggle("has-batch-end", Boolean(words));
    this.text.textContent = this.alone.textContent = words;
  }

  /** On to the card that is there. False when nothing is to be put away. */
  close() {
    if (this.box.hidden) return false;
    this.hide();
    this.focusBack();
    return true;
  }
}
