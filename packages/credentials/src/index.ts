export {
  type Credential,
  type CredentialName,
  keyFault,
  type McpCredential,
} from './credential.ts'
export { type CredentialStore, createCredentialStore } from './credential-store.ts'
export { openKeyring, systemFolders } from './keyring.ts'
export { openLoopbackRedirect } from './loopback-redirect.ts'
export {
  createProviderKeys,
  type KeptLogins,
  keptProviders,
  learnCredential,
  type ProviderKeys,
} from './provider-keys.ts'
export { isUsable, type KeysFound, lacksKey } from './usable-providers.ts'
