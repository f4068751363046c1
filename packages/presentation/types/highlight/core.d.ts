/** The part of highlight.js that is used. Its own types take in those of browsers, where timers are numbers. */

/** Part of code with the name that the grammar gives it. */
export interface TokenNode {
  readonly scope?: string
  readonly children: readonly (TokenNode | string)[]
}

export type Grammar = (hljs: unknown) => object

declare const hljs: {
  highlight(
    code: string,
    options: { readonly language: string; readonly ignoreIllegals: boolean },
  ): { readonly _emitter: { readonly rootNode: TokenNode } }
  registerLanguage(name: string, grammar: Grammar): void
  getLanguage(name: string): object | undefined
}

export { hljs as default }
