/** Returns why clients reject the first certificate of a PEM text at a time, as a clause; null where its dates are no reason. */
export function validityFault(pem: string, nowMs: number): string | null {
  const [first] = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/.exec(pem) ?? []
  if (first === undefined) return null
  // Loaded only when used: most programs have no certificate.
  const { X509Certificate } = process.getBuiltinModule('node:crypto')
  const { validFromDate: from, validToDate: to } = new X509Certificate(first)
  if (to.getTime() < nowMs) return `has expired on ${dayOf(to)}`
  return from.getTime() > nowMs ? `is not valid before ${dayOf(from)}` : null
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10)
}
