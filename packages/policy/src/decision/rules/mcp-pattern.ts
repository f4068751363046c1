/** Matches `server/tool`. A tool's name may contain slashes, and `*` in the tool's part matches them too. */
export function matchesMcpPattern(
  pattern: string,
  { server, name }: { readonly server: string; readonly name: string },
): boolean {
  const slash = pattern.indexOf('/')
  return matchesStars(pattern.slice(0, slash), server) && matchesStars(pattern.slice(slash + 1), name)
}

/** Matches without a regular expression, since backtracking would make a rule with many stars slow. */
function matchesStars(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first) || text.length < first.length + last.length) return false
  let at = first.length
  for (const piece of rest) {
    const found = text.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return at <= text.length - last.length && text.endsWith(last)
}
