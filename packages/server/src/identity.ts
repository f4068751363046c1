/** What a server says of itself. */
export interface ServerIdentity {
  readonly serverInfo: { readonly name: string; readonly version: string; readonly build: string }
  /** `$PARLEY_HOME`. */
  readonly home: string
}
