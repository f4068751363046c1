/** Returns true for a host that only this machine reaches, with or without the brackets that an address puts around `::1`. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host)
}
