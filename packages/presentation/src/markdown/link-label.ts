/** Matches an address in a label: with a scheme, or a host by its dots. */
const addresses = /[a-z][a-z0-9+.-]*:\/\/[^\s<>"')\]]+|(?:[\p{L}\p{N}_-]+\.)+\p{L}{2,}(?![\p{L}\p{N}_-])/giu

/** Ends of names of files that no host has: there are no such domains. */
const fileEnds =
  /\.(?:[cm]?[jt]sx?|jsonc?|toml|ya?ml|xml|csv|txt|html?|s?css|lock|log|cfg|ini|conf|env|sql|java|kt|go|rb|php|lua|cpp|hpp|vue|svelte)$/i

/** Letters of a label that are looked at: each may begin an address. */
const maxLabel = 2048

const mail = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/** Returns the place that a link leads to, where its label is or names another; null where the label names no other. */
export function otherPlace(label: string, href: string): string | null {
  const text = label.trim().slice(0, maxLabel)
  if (/^mailto:/i.test(href)) {
    const to = href.slice('mailto:'.length)
    return mail.test(text) && text.toLowerCase() !== decoded(to.replace(/\?.*$/, '')).toLowerCase() ? to : null
  }
  const named = (text.match(addresses) ?? []).filter((address) => address.includes('://') || !fileEnds.test(address))
  const host = hostOf(href)
  if (host === null) {
    // Names of files have dots, too.
    return named.some((address) => address.includes('://') && address !== href) ? href : null
  }
  const isOther = named.some((address) => hostOf(address) !== host)
  return isOther ? host : null
}

/** Returns the host of an address with its port, as it is compared; null for a file. */
function hostOf(address: string): string | null {
  if (/^file:/i.test(address)) return null
  const [, authority = address.replace(/[/?#\\].*$/s, '')] = /^[a-z][a-z0-9+.-]*:[/\\]*([^/?#\\]*)/i.exec(address) ?? []
  const host = authority.slice(authority.lastIndexOf('@') + 1).toLowerCase()
  return decoded(host)
    .replace(/:(?:80|443)?$/, '')
    .replace(/^www\./, '')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
