import { join, relative } from 'node:path'
import type { Place } from '../environment/environment.ts'
import { diskFiles } from '../files/disk-files.ts'
import { liesWithin } from '../files/workspace-path.ts'
import { copyTree, type TreeCopy, usualCopyLimits } from './copy-tree.ts'
import { placeComplaint, type SearchOutcome, type SearchPlace } from './search-text.ts'

export interface PlaceSearch extends Omit<SearchPlace, 'files' | 'ripgrep'> {
  readonly place: Place
  readonly roots: readonly string[]
  readonly includeIgnored: boolean
  readonly search: (where: SearchPlace) => Promise<SearchOutcome>
}

/** Searches with the ripgrep that is found where the files are; without one, in a copy of them here. */
export async function searchPlace(asked: PlaceSearch): Promise<SearchOutcome> {
  const { place, roots, includeIgnored, search, ...where } = asked
  const { files } = place
  const ripgrep = await place.search.there(roots)
  if (ripgrep !== null) return search({ ...where, files, ripgrep })
  const complaint = (await placeComplaint({ ...where, files })) ?? outsideComplaint(where)
  if (complaint !== null) return { kind: 'failed', message: complaint }
  await using copy = await copyTree({ ...where, files, includeIgnored })
  const path = join(copy.folder, relative(where.cwd, where.path))
  return noted(await search({ ...where, cwd: copy.folder, path, files: diskFiles, ripgrep: place.search.here }), copy)
}

function outsideComplaint({ path, cwd, shownPath }: Pick<SearchPlace, 'path' | 'cwd' | 'shownPath'>): string | null {
  if (liesWithin(path, cwd)) return null
  return `${shownPath} lies outside the working directory, and without ripgrep on that machine only what lies in it can be searched.`
}

function noted(outcome: SearchOutcome, { truncated }: TreeCopy): SearchOutcome {
  if (outcome.kind === 'failed') return outcome
  const limit = truncated ? ` Only the first ${usualCopyLimits.files} files were searched.` : ''
  const note = `[There is no ripgrep on that machine: its files were read one by one, large ones left out.${limit}]`
  return { ...outcome, text: `${outcome.text}\n${note}`, complete: outcome.complete && !truncated }
}
