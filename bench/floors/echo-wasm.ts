// WebAssembly written by hand: what a sandboxed plugin cannot do without is to fetch its input and to give an answer.

const I32 = 0x7f;
const I64 = 0x7e;
const FUNCTION_TYPE = 0x60;
const KIND_FUNCTION = 0x00;

/** Indices of functions: imports come first. */
const INPUT_LENGTH = 0;
const INPUT_LOAD_BYTE = 1;
const INPUT_LOAD_WORD = 2;
const ALLOC = 3;
const STORE_BYTE = 4;
const STORE_WORD = 5;
const OUTPUT_SET = 6;
const ECHO = 7;

/** Local variables of `echo`. */
const LENGTH = 0;
const OUTPUT = 1;
const AT = 2;

const get = (local: number) => [0x20, local];
const set = (local: number) => [0x21, local];
const call = (index: number) => [0x10, index];
const i64 = (value: number) => [0x42, value];
const ADD = 0x7c;
const GREATER = 0x56;
const GREATER_OR_EQUAL = 0x5a;
const END = 0x0b;
const advance = (bytes: number) => [...get(AT), ...i64(bytes), ADD, ...set(AT)];
/** Repeats `body` until `isOver` leaves something other than 0. */
const until = (isOver: readonly number[], body: readonly number[]) => [
  ...[0x02, 0x40], // block
  ...[0x03, 0x40], // loop
  ...isOver,
  ...[0x0d, 1], // leave the block
  ...body,
  ...[0x0c, 0], // once more
  ...[END, END],
];
/** Copies one unit of the input to the same place of the output. */
const copy = (load: number, store: number) => [
  ...get(OUTPUT),
  ...get(AT),
  ADD,
  ...get(AT),
  ...call(load),
  ...call(store),
];

const body = [
  ...[1, 3, I64], // three locals
  ...call(INPUT_LENGTH),
  ...set(LENGTH),
  ...get(LENGTH),
  ...call(ALLOC),
  ...set(OUTPUT),
  ...until(
    [...get(AT), ...i64(8), ADD, ...get(LENGTH), GREATER],
    [...copy(INPUT_LOAD_WORD, STORE_WORD), ...advance(8)],
  ),
  ...until(
    [...get(AT), ...get(LENGTH), GREATER_OR_EQUAL],
    [...copy(INPUT_LOAD_BYTE, STORE_BYTE), ...advance(1)],
  ),
  ...get(OUTPUT),
  ...get(LENGTH),
  ...call(OUTPUT_SET),
  ...[0x41, 0], // the plugin's own status: well
  END,
];

const name = (text: string) => [text.length, ...Buffer.from(text)];
const imported = (field: string, type: number) => [
  ...name('extism:host/env'),
  ...name(field),
  KIND_FUNCTION,
  type,
];

/** An unsigned number as LEB128. */
function leb(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >>> 7)];
}

function section(id: number, items: readonly (readonly number[])[]): number[] {
  const content = [items.length, ...items.flat()];
  return [id, ...leb(content.length), ...content];
}

/** An Extism plugin with one function, `echo`, which copies its input into its output, eight bytes at a time. */
export function echoModule(): Uint8Array {
  const types = [
    [FUNCTION_TYPE, 0, 1, I64],
    [FUNCTION_TYPE, 1, I64, 1, I32],
    [FUNCTION_TYPE, 1, I64, 1, I64],
    [FUNCTION_TYPE, 2, I64, I32, 0],
    [FUNCTION_TYPE, 2, I64, I64, 0],
    [FUNCTION_TYPE, 0, 1, I32],
  ];
  const imports = [
    imported('input_length', 0),
    imported('input_load_u8', 1),
    imported('input_load_u64', 2),
    imported('alloc', 2),
    imported('store_u8', 3),
    imported('store_u64', 4),
    imported('output_set', 4),
  ];
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, types),
    ...section(2, imports),
    ...section(3, [[5]]),
    ...section(7, [[...name('echo'), KIND_FUNCTION, ECHO]]),
    ...section(10, [[...leb(body.length), ...body]]),
  ]);
}
