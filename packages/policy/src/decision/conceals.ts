import type { Facts } from './facts.ts'

/** What ends a word of a shell, or makes it more than its letters; or leads to a program. */
const moreThanAWord = /[\s\\;|&<>$`(){}*?'"!#]|^[.~]*\//
/** In a file a key may have its lines. */
const keyBlock = /^-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\sA-Za-z0-9+/=:,.-]*$/

interface Shown {
  readonly facts: Facts
  /** Of a patch its text, of a tool its arguments, as the model wrote them; null where there is no secret in them. */
  readonly written: string | null
}

/**
 * Whether marks would keep from the user, who is asked, more than a word that is only handed on or written down: what
 * looks like a secret may be made to, and whoever says yes must have seen what will run.
 */
export function conceals({ facts, written }: Shown, secretsIn: (text: string) => ReadonlyMap<string, string>): boolean {
  if (facts.kind !== 'command') {
    const isInert = (text: string) => !moreThanAWord.test(text) || (facts.kind === 'patch' && keyBlock.test(text))
    return ![...secretsIn(written ?? '').values()].every(isInert)
  }
  const hidden = [...secretsIn(facts.script ?? facts.argv.join(' ')).values()]
  const programs = [...facts.parts.map(({ program }) => program), ...facts.seen.map(([program]) => program)]
  return hidden.some((text) => moreThanAWord.test(text) || programs.some((program) => program?.includes(text)))
}
