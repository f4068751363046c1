import type { Source } from './sources.ts'

/** Openings that are neither a verb nor a noun for the described thing. */
const riddle =
  /^(What|Whether|Who|Whose|Whom|Where|When|Of|One|Those|These|This|It|Its|They|His|Her|Null|Nobody|Nothing|How|Why|Which|That|So|Else|Also|But)\b/
const wordsPerSentence = 25

export function docstringViolations({ path, text, isTest }: Pick<Source, 'path' | 'text' | 'isTest'>): string[] {
  if (isTest) return []
  return [...text.matchAll(/\/\*\*([\s\S]*?)\*\//g)].flatMap((match) => {
    const body = (match[1] ?? '')
      .replace(/\n\s*\*/g, ' ')
      .replace(/\s+/g, ' ')
      .trim()
    const line = text.slice(0, match.index).split('\n').length
    const opening = riddle.exec(body)?.[0]
    const first = body.split(/(?<=[.:;])\s/)[0] ?? ''
    const words = first.split(' ').length
    return [
      ...(opening === undefined ? [] : [`${path}:${line} opens with "${opening}": ${body.slice(0, 60)}`]),
      ...(words > wordsPerSentence ? [`${path}:${line} has ${words} words in its first sentence`] : []),
    ]
  })
}

/** Pronouns and clauses in the place of a noun, which send a reader back. */
const pronoun =
  /\b(those|that of|what (is|are|was|has|had|it|they|a|the)|who(ever)?|whose|of which|by which|in which|of now|none)\b/i

/** Returns the comments of a source, docstrings and line comments, each as one line of text. */
export function commentsOf({ text }: Pick<Source, 'text'>): { readonly comment: string; readonly line: number }[] {
  const pattern = /\/\*\*([\s\S]*?)\*\/|(?:^|\s)\/\/ ([A-Z][^\n]*(?:\n\s*\/\/ [^\n]*)*)/g
  return [...text.matchAll(pattern)].map((match) => ({
    comment: (match[1] ?? match[2] ?? '')
      .replace(/\n\s*(\*|\/\/)/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
    line: text.slice(0, match.index + 1).split('\n').length,
  }))
}

/** Returns comments with such a pronoun or clause. */
export function backwardCommentViolations(source: Pick<Source, 'path' | 'text'>): string[] {
  return commentsOf(source).flatMap(({ comment, line }) => {
    const found = pronoun.exec(comment)
    return found === null ? [] : [`${source.path}:${line} says "${found[0]}": ${comment}`]
  })
}
