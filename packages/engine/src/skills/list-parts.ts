import { isAbsolute } from 'node:path'
import type { ParamsOf, ResultOf, Rights, FoundPart as ShownPart } from '@parley/protocol'
import { type ProjectPorts, withProject } from '../project/project-at.ts'
import { invalidParam } from '../replies/rejection.ts'
import { type FoundPart, findParts, type PartPorts } from './find-parts.ts'

/** Lists all skills and commands as a folder has them. Throws `cwdMissing`, and `invalidParams` for a relative folder. */
export async function listParts(
  params: ParamsOf<'skill/list'>,
  by: Pick<Rights, 'person'>,
  ports: PartPorts & ProjectPorts,
): Promise<ResultOf<'skill/list'>> {
  if (params.environment === undefined && !isAbsolute(params.cwd))
    throw invalidParam('cwd', 'cwd must be an absolute path.')
  return withProject(params, by, ports, ({ project }) => ({ parts: findParts(project, ports).map(shown) }))
}

function shown({ kind, name, origin, file, files, problem, text }: FoundPart): ShownPart {
  return {
    kind,
    name,
    description: text?.description ?? '',
    ...(text?.argumentHint === undefined ? {} : { argumentHint: text.argumentHint }),
    origin,
    path: file,
    state: problem?.code ?? 'ready',
    ...(problem === null ? {} : { problem: problem.message }),
    remarks: [...(text?.remarks ?? [])],
    forModel: text?.forModel ?? false,
    forUser: text?.forUser ?? false,
    ...(text?.allowedTools === undefined ? {} : { allowedTools: [...text.allowedTools] }),
    files: [...files],
  }
}
