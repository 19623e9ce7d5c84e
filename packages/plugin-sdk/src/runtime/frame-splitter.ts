/** One line of input, decoded, or what is wrong with it. */
export type Frame = { readonly text: string } | { readonly fault: 'too_large' | 'not_utf8' };

/** Cuts a stream of bytes into frames. */
export interface FrameSplitter {
  /** The frames that `chunk` completes. What follows the last line feed is kept for the next chunk. */
  push(chunk: Uint8Array | string): Iterable<Frame>;
  /** The frame that the end of input left without its line feed, if there is one. */
  end(): Frame | undefined;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const FIRST_CAPACITY_BYTES = 4_096;

/**
 * Splits at line feeds; one carriage return before a line feed is dropped.
 *
 * A frame over `maxBytes` is reported once, as soon as it is known, and the rest of its line is skipped, so that no
 * more than `maxBytes` are ever held.
 */
export function frameSplitter(maxBytes: number): FrameSplitter {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let held = new Uint8Array(0);
  let heldBytes = 0;
  let skipping = false;

  function hold(bytes: Uint8Array): void {
    const needed = heldBytes + bytes.length;
    if (held.length < needed) {
      const larger = new Uint8Array(Math.max(needed, held.length * 2, FIRST_CAPACITY_BYTES));
      larger.set(held.subarray(0, heldBytes));
      held = larger;
    }
    held.set(bytes, heldBytes);
    heldBytes = needed;
  }

  function decode(bytes: Uint8Array): Frame {
    const end = bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length;
    try {
      return { text: decoder.decode(bytes.subarray(0, end)) };
    } catch {
      return { fault: 'not_utf8' };
    }
  }

  function complete(bytes: Uint8Array): Frame | undefined {
    if (skipping) {
      skipping = false;
      return undefined;
    }
    if (heldBytes + bytes.length > maxBytes) {
      heldBytes = 0;
      return { fault: 'too_large' };
    }
    if (heldBytes === 0) return decode(bytes);
    hold(bytes);
    const whole = held.subarray(0, heldBytes);
    heldBytes = 0;
    return decode(whole);
  }

  function begin(bytes: Uint8Array): Frame | undefined {
    if (skipping || bytes.length === 0) return undefined;
    if (heldBytes + bytes.length <= maxBytes) {
      hold(bytes);
      return undefined;
    }
    skipping = true;
    heldBytes = 0;
    return { fault: 'too_large' };
  }

  return {
    *push(chunk) {
      const bytes = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
      let from = 0;
      for (
        let lineFeed = bytes.indexOf(LINE_FEED);
        lineFeed !== -1;
        lineFeed = bytes.indexOf(LINE_FEED, from)
      ) {
        const frame = complete(bytes.subarray(from, lineFeed));
        from = lineFeed + 1;
        if (frame !== undefined) yield frame;
      }
      const frame = begin(bytes.subarray(from));
      if (frame !== undefined) yield frame;
    },
    end() {
      return heldBytes === 0 ? undefined : complete(new Uint8Array(0));
    },
  };
}
