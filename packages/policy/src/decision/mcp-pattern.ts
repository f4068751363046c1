import type { McpFacts } from './facts.ts'

/** `server/tool`: a server's name has no slash, a tool's may, and `*` in the tool's part stands for it too. */
export function matchesMcpPattern(pattern: string, { server, name }: Pick<McpFacts, 'server' | 'name'>): boolean {
  const slash = pattern.indexOf('/')
  return matches(pattern.slice(0, slash), server) && matches(pattern.slice(slash + 1), name)
}

/** Without a regular expression, whose backtracking a rule with many stars could make slow. */
function matches(pattern: string, text: string): boolean {
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
