/**
 * The dot products of one vector of signed bytes with many, in WebAssembly: sixteen at a time, which plain JavaScript cannot, and eight times
 * as fast. In WebAssembly text, with `q`, `row`, `count`, `stride`, `out` for the parameters 0 to 4, `i` for 5, `sum`, `a`, `b` for 6 to 8:
 *
 *     for (; count !== 0; count -= 1, row += stride, out += 4)
 *       for (sum = 0, i = 0; i < stride; i += 16) sum += the four sums of products of the bytes at row + i and q + i
 *       *out = sum of the four
 */
const KERNEL = [
  // Magic and version; types: one function of five numbers that returns nothing.
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  ...[0x01, 0x09, 0x01, 0x60, 0x05, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x00],
  // Imports: the memory `m.m`, of one page at least. Functions: one of type 0. Exports: it, as `dots`.
  ...[0x02, 0x08, 0x01, 0x01, 0x6d, 0x01, 0x6d, 0x02, 0x00, 0x01],
  ...[0x03, 0x02, 0x01, 0x00],
  ...[0x07, 0x08, 0x01, 0x04, 0x64, 0x6f, 0x74, 0x73, 0x00, 0x00],
];

/** The body: locals `i` (a number) and `sum`, `a`, `b` (vectors), then the loops. */
const BODY = [
  ...[0x02, 0x01, 0x7f, 0x03, 0x7b],
  // block, loop: leave when count is 0.
  ...[0x02, 0x40, 0x03, 0x40, 0x20, 0x02, 0x45, 0x0d, 0x01],
  // sum = 0; i = 0.
  ...[0xfd, 0x0c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x21, 0x06, 0x41, 0x00, 0x21, 0x05],
  // loop: a = load(row + i); b = load(q + i).
  ...[0x03, 0x40, 0x20, 0x01, 0x20, 0x05, 0x6a, 0xfd, 0x00, 0x00, 0x00, 0x21, 0x07],
  ...[0x20, 0x00, 0x20, 0x05, 0x6a, 0xfd, 0x00, 0x00, 0x00, 0x21, 0x08],
  // sum += pairwise(low products) + pairwise(high products).
  ...[0x20, 0x06, 0x20, 0x07, 0x20, 0x08, 0xfd, 0x9c, 0x01, 0xfd, 0x7e, 0xfd, 0xae, 0x01],
  ...[0x20, 0x07, 0x20, 0x08, 0xfd, 0x9d, 0x01, 0xfd, 0x7e, 0xfd, 0xae, 0x01, 0x21, 0x06],
  // i += 16; again while i < stride; end.
  ...[0x20, 0x05, 0x41, 0x10, 0x6a, 0x22, 0x05, 0x20, 0x03, 0x49, 0x0d, 0x00, 0x0b],
  // *out = the four lanes of sum, added.
  ...[0x20, 0x04, 0x20, 0x06, 0xfd, 0x1b, 0x00, 0x20, 0x06, 0xfd, 0x1b, 0x01, 0x6a],
  ...[0x20, 0x06, 0xfd, 0x1b, 0x02, 0x6a, 0x20, 0x06, 0xfd, 0x1b, 0x03, 0x6a, 0x36, 0x02, 0x00],
  // out += 4; row += stride; count -= 1; again; ends of loop, block and function.
  ...[0x20, 0x04, 0x41, 0x04, 0x6a, 0x21, 0x04, 0x20, 0x01, 0x20, 0x03, 0x6a, 0x21, 0x01],
  ...[0x20, 0x02, 0x41, 0x01, 0x6b, 0x21, 0x02, 0x0c, 0x00, 0x0b, 0x0b, 0x0b],
];

/** Dot products of the vector at `q` with `count` vectors from `row` on, `stride` bytes each, into 32-bit numbers at `out`. All of them places in the memory. */
export type Dots = (q: number, row: number, count: number, stride: number, out: number) => void;

/** Bytes that one step of the kernel takes: a vector is padded with zeros to a multiple of it. */
export const KERNEL_STEP = 16;

/** Memory of WebAssembly: a buffer that is another one after each growth. */
export interface LinearMemory {
  readonly buffer: ArrayBuffer;
  /** By pages of 64 KiB. */
  grow(pages: number): number;
}

/** What is used of the engine, which the types of Node leave to those of browsers. */
interface Engine {
  readonly Memory: new (size: { readonly initial: number }) => LinearMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: { readonly dots: Dots } };
}

function engine(): Engine {
  return (globalThis as unknown as { readonly WebAssembly: Engine }).WebAssembly;
}

/** Memory of one page. */
export function linearMemory(): LinearMemory {
  return new (engine().Memory)({ initial: 1 });
}

/** The kernel over a memory. */
export function dotKernel(memory: LinearMemory): Dots {
  const { Module, Instance } = engine();
  const size = BODY.length;
  // Section 10, its length, one body, the body's length: lengths in seven bits a byte.
  const code = [0x0a, ...leb(size + 1 + leb(size).length), 0x01, ...leb(size), ...BODY];
  return new Instance(new Module(Uint8Array.from([...KERNEL, ...code])), { m: { m: memory } }).exports.dots;
}

function leb(length: number): number[] {
  return length < 0x80 ? [length] : [(length & 0x7f) | 0x80, length >> 7];
}
