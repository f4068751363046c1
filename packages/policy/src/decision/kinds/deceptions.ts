/** Letters of other scripts that are drawn as Latin ones: Cyrillic, Greek, Armenian, Cherokee. */
const lookAlikes = /[аеорсухіјѕһԁԛԝүвкмнтАВЕЅІЈКМНОРСТУХЗԌοανρικτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧօսոցհՏᎪᎬᏒᏚᎳ]/u
const latin = /\p{Script=Latin}/u
const other = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u
const notLatin = /[^\P{L}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u

/**
 * Returns why a path may be mistaken for another one, as ends of sentences that begin with the path: letters that look
 * like other letters, blanks at an end of a name, spellings that are drawn alike. Empty for nearly every path.
 */
export function deceptions(path: string): string[] {
  const names = path.split('/').filter((name) => name !== '')
  return [
    ...(names.some(hasLookAlikes) ? ['contains letters that look like Latin ones and are not'] : []),
    ...(names.some((name) => /^\s|\s$/u.test(name)) ? ['has a name that begins or ends with a blank'] : []),
    ...(names.some((name) => name.normalize('NFKC') !== name.normalize('NFC'))
      ? ['contains characters that are drawn as others are']
      : []),
  ]
}

/** A word all in one script is no deception, unless all of its letters look like Latin ones. */
function hasLookAlikes(name: string): boolean {
  if (!lookAlikes.test(name)) return false
  return name
    .split(/[^\p{L}\p{M}\d]+/u)
    .filter((word) => lookAlikes.test(word))
    .some((word) => (latin.test(word) && other.test(word)) || isAllLookAlikes(word))
}

function isAllLookAlikes(word: string): boolean {
  const letters = [...word].filter((letter) => /\p{L}/u.test(letter))
  return !letters.some((letter) => notLatin.test(letter)) && letters.every((letter) => lookAlikes.test(letter))
}
