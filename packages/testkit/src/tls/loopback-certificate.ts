import { fileURLToPath } from 'node:url'

const at = (name: string) => fileURLToPath(new URL(`../../fixtures/tls/${name}`, import.meta.url))

/** Files of a certificate for `models.test` and loopback, which is its own authority, and of its key. */
export const loopbackCertificate = { certFile: at('certificate.pem'), keyFile: at('key.pem') } as const
