/** Returns the number of lines of a text; one line end at its end begins no further line. Makes no copy of the text. */
export function lineCount(text: string): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < text.length - 1; at = text.indexOf('\n', at + 1)) lines += 1
  return lines
}
