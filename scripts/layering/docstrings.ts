import type { Source } from './sources.ts'

/** A docstring opens with a verb or with the noun of what it describes. */
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
