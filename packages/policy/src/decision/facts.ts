/**
 * All that policy may know about a call. Plain data: it is stored on the item, and the same facts always get the
 * same decision.
 */
export type Facts = CommandFacts | PatchFacts | ReadFacts | McpFacts | OtherFacts

/** The words of a command found in a script; null stands for a word that only the shell could tell. */
export type SeenCommand = readonly (string | null)[]

export interface CommandPart {
  readonly argv: readonly string[]
  /** `argv[0]` as written. */
  readonly program: string
  /** Where the search path leads for a bare name, null when nowhere or when a relative entry comes first. */
  readonly programPath: string | null
  readonly programInsideRoots: boolean
  /** Only looks, and says so with options we know; says nothing about which files it looks at. */
  readonly knownSafe: boolean
}

export interface CommandFacts {
  readonly kind: 'command'
  readonly tool: string
  readonly argv: readonly string[]
  /** The text handed to a shell, null when no shell is involved. */
  readonly script: string | null
  readonly understood: boolean
  readonly notUnderstoodBecause?: string
  /** Each command that would run; empty unless `understood`. */
  readonly parts: readonly CommandPart[]
  /** Commands found anywhere, inside wrappers and nested scripts too. May only make a decision stricter. */
  readonly seen: readonly SeenCommand[]
  readonly dangerous: string | null
  /** Every part is known-safe, and none touches a secret. Implies `understood`. */
  readonly knownSafe: boolean
  /** The word that leads to a place of secrets. */
  readonly touchesSecret: string | null
  /** What known-safe commands name that exists. */
  readonly reads: readonly PlaceRead[]
  readonly cwd: string
  /** The conversation's folder, from which rules about paths are read. */
  readonly workspace: string
  readonly escalation: { readonly reason: string } | null
  /** It asks for the network for itself. Facts of older conversations do not say. */
  readonly network?: { readonly reason: string }
  /** It goes on after the call, without a time limit. */
  readonly background: boolean
}

export interface PatchedFile {
  readonly path: string
  readonly real: string
  readonly insideRoots: boolean
  /** Why this file stays read-only for patches nobody confirmed. */
  readonly protectedBy: string | null
}

export interface PatchFacts {
  readonly kind: 'patch'
  readonly tool: string
  readonly files: readonly PatchedFile[]
  /** `sha256:<hex>` over the exact bytes. */
  readonly contentHash: string
  readonly cwd: string
}

export interface PlaceRead {
  readonly path: string
  readonly real: string
  /** Everything below is read too. */
  readonly recursive: boolean
}

export interface ReadPath extends PlaceRead {
  readonly insideRoots: boolean
  /** Lies where secrets are kept, or is read recursively and holds such a place. */
  readonly secret: boolean
}

export interface ReadFacts {
  readonly kind: 'read'
  readonly tool: string
  readonly paths: readonly ReadPath[]
  readonly cwd: string
}

export interface McpFacts {
  readonly kind: 'mcp'
  readonly tool: string
  /** Key of `[mcp_servers.X]`. */
  readonly server: string
  /** The tool by the server's own name, or what else is asked of it, such as `resources/read`. */
  readonly name: string
  /** Its program runs inside the sandbox or not at all: one that the project configures. Absent: with all rights. */
  readonly confined?: { readonly mode: 'read-only' | 'workspace-write'; readonly network: boolean }
  /** We know that it only looks. What a server says of its own tools is not believed. */
  readonly readOnly: boolean
}

export interface OtherFacts {
  readonly kind: 'other'
  readonly tool: string
  readonly readOnly: boolean
}
