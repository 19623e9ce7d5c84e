// What is used of libraries that say nothing of their types, or nothing that a program without a browser could read.

declare module '@joplin/turndown-plugin-gfm' {
  import type TurndownService from 'turndown';
  /** Tables, struck text and lists of tasks. */
  export const gfm: TurndownService.Plugin;
}

declare module '@mixmark-io/domino' {
  export interface DominoElement {
    readonly tagName: string;
    readonly attributes: ArrayLike<{ readonly name: string; readonly value: string }>;
    readonly textContent: string;
    readonly innerHTML: string;
    readonly classList: { contains(name: string): boolean };
    getAttribute(name: string): string | null;
    setAttribute(name: string, value: string): void;
    removeAttribute(name: string): void;
    remove(): void;
    querySelector(selector: string): DominoElement | null;
  }
  export interface DominoDocument {
    readonly title: string;
    readonly body: DominoElement | null;
    querySelector(selector: string): DominoElement | null;
    querySelectorAll(selector: string): ArrayLike<DominoElement>;
    getElementsByTagName(name: string): ArrayLike<DominoElement>;
  }
  const domino: { createDocument(html: string, force: boolean): DominoDocument };
  export default domino;
}
