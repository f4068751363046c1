export { type AlwaysRules, alwaysRulesFor } from './decision/always-rules.ts'
export { type CeilingFlags, defaultCeilingFlags } from './decision/ceiling-flags.ts'
export {
  conceals,
  type DecideSettings,
  type Decision,
  decide,
  explainDecision,
  sandboxLimits,
  withoutNeedlessRequest,
} from './decision/decide.ts'
export {
  approvalKindOf,
  askedLimits,
  describeFacts,
  type Facts,
  hasOwnLimits,
  storedFacts,
} from './decision/facts.ts'
export { type Grant, isStillAlike, type SessionYes, sessionAnswers } from './decision/grants.ts'
export { factsOfPart } from './decision/kinds/command/command.ts'
export type { CommandFacts } from './decision/kinds/command/facts.ts'
export type { DescribedFact } from './decision/kinds/kind.ts'
export type { McpFacts } from './decision/kinds/mcp.ts'
export { type Narrowing, narrowed } from './decision/narrow.ts'
export { reachOf } from './decision/reach.ts'
export { allHaveNetwork, honoursRequests } from './decision/rules/matrix.ts'
export { type Rules, ruleTargetOf, widerRules, withoutAllowing } from './decision/rules/rules.ts'
export { blockNotice, detectBlock, type Retry, retryAfter } from './decision/sandbox-block.ts'
export { narrowingBySkills } from './decision/skill-tools.ts'
export { checkNamedPaths } from './facts/check-named-paths.ts'
export { type CommandCall, gatherCommandFacts } from './facts/gather-command-facts.ts'
export { type FileSurroundings, gatherPatchFacts, gatherReadFacts, linkNote } from './facts/gather-file-facts.ts'
export { type PolicyFile, problemLocation, readPolicyFile } from './policy-file/read-policy-file.ts'
export { createUserRules, type UserRules } from './policy-file/user-rules.ts'
export { createShellParser, type ShellParser } from './shell/parse-shell.ts'
export {
  createEditorServerTrust,
  type EditorLaunch,
  type EditorServerTrust,
  hashOfEditorLaunch,
} from './trust/editor-servers.ts'
export { readRemoteTree } from './trust/fetched-tree.ts'
export { createProjects, type Project, type Projects, trustedFiles, trustedRules } from './trust/project.ts'
export { filesRunInPlace, isUnchanged, type ProgramFile } from './trust/project-programs.ts'
export { projectRoot, repositoryAroundHome } from './trust/project-root.ts'
export { commandFolders, hashOfText, listFiles, type ProjectSkill, skillFolders } from './trust/project-skills.ts'
export { skillFiles } from './trust/project-skills-report.ts'
export { diskTree, type ProjectTree } from './trust/project-tree.ts'
export { readPlainText } from './trust/read-project-files.ts'
export {
  editorServerPolicy,
  emptyReport,
  runsPrograms,
  type ServerSandboxPolicy,
  serverSandboxMode,
  serverSandboxPolicies,
  shownHash,
  trustNotice,
  trustReport,
} from './trust/trust-report.ts'
export { DecisionTooLargeError, type SharedTrust } from './trust/trust-store.ts'
export { readTrusted, type TrustedFile, writeCopy } from './trust/trusted-copy.ts'
