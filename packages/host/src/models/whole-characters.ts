/** Pieces of one text, so cut that no character is: a piece that ends in its middle gives its half to the next. */
export class WholeCharacters {
  #held = '';

  /** What can be shown of the text so far and was not yet. */
  push(piece: string): string {
    const text = this.#held + piece;
    const last = text.charCodeAt(text.length - 1);
    const cut = last >= 0xd800 && last <= 0xdbff;
    this.#held = cut ? text.slice(-1) : '';
    return (cut ? text.slice(0, -1) : text).toWellFormed();
  }

  /** What is left at the end: nothing, or the mark of half a character. */
  end(): string {
    const left = this.#held.toWellFormed();
    this.#held = '';
    return left;
  }
}
