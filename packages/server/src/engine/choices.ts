import { layerOfOverrides, readProfile } from '@parley/config'
import type { Overrides } from '@parley/protocol'

/** What a caller asks for by a profile and by `-c`, which its flags outrank; what the files say of themselves is not asked for. */
export function choicesIn({ config = {}, profile }: Overrides, home: string): Overrides {
  const own = layerOfOverrides(config, '-c').values
  const name = profile ?? own.profile
  const chosen = name === undefined ? {} : readProfile(home, name)
  const { model, model_provider: modelProvider, ...others } = { ...chosen, ...own }
  const { model_reasoning_effort: effort, approval_policy: approvalPolicy, sandbox_mode: sandbox } = others
  const { environment } = others
  return {
    ...(model === undefined ? {} : { model }),
    ...(modelProvider === undefined ? {} : { modelProvider }),
    ...(effort === undefined ? {} : { effort }),
    ...(approvalPolicy === undefined ? {} : { approvalPolicy }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(environment === undefined ? {} : { environment }),
  }
}
