import { isSecret, type SecretPlaces } from '../../../facts/secret-places.ts'
import { writeProtection } from '../../../facts/write-protection.ts'
import { liesWithin } from '../../../lookup/workspace-path.ts'
import { fileFailure } from '../files/file-failure.ts'

/** What a client's wish lets `fs/*` do; both ask for real paths and throw what a confined process would be told. */
export interface FileLimits {
  assertReadable(real: string): void
  assertWritable(real: string): void
}

export interface FileBounds {
  /** Real paths; none where nothing may be written. */
  readonly roots: readonly string[]
  readonly masked: SecretPlaces
  readonly home: string
}

export function fileLimits({ roots, masked, home }: FileBounds): FileLimits {
  const assertReadable = (real: string) => {
    if (isSecret(real, masked)) throw fileFailure('EACCES', real, 'the sandbox does not let it be read')
  }
  return {
    assertReadable,
    assertWritable(real) {
      assertReadable(real)
      if (!roots.some((root) => liesWithin(real, root)))
        throw fileFailure('EROFS', real, 'it lies outside of what the sandbox lets be written')
      const protection = writeProtection(real, { roots, home, secrets: masked })
      if (protection !== null)
        throw fileFailure('EROFS', real, `it is kept as it is in a sandbox, since it ${protection}`)
    },
  }
}
