/** Tells if nobody on the way to an address reads what is sent there. */
export function isSecure(address: string): boolean {
  return !address.startsWith('ws:') || isLoopback(address)
}

/** Returns the sentence on an address that is not. */
export function notSecure(address: string): string {
  return `${address} is another machine and has no TLS: token and conversation would be read on the way.`
}

function isLoopback(address: string): boolean {
  const host = URL.parse(address)?.hostname ?? ''
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)
}
