/** Returns true for a `ws://` address of another machine, where whoever is on the way reads everything. */
export function isInTheClear(address: string): boolean {
  return address.startsWith('ws:') && !isLoopbackHost(URL.parse(address)?.hostname ?? '')
}

/** Returns true for a host that only this machine reaches. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)
}
