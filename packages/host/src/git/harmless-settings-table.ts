const anyText = /^[^\0]*$/
const yesOrNo = /^(?:true|false|yes|no|on|off|0|1|)$/i
const no = /^(?:false|no|off|0|)$/i
const word = /^[\w.+-]*$/
/** Name of a branch, a remote or a reference, or a pattern of them; no option and no address. */
const name = /^[+^]?(?!-)[\w./*@{}#=,~-]*$/
const refspec = /^[+^]?(?!-)[\w./*@{}#=,~-]*(?::[\w./*@{}#=,~-]*)?$/
/** `https`, `ssh`, `git` or `file` with a host that is no option, `host:path`, a path; no `ext::` or other helper. */
const address =
  /^(?:(?:https?|ssh|git):\/\/[\w.~%@:[\]][^\s\0]*|file:\/\/\/[^\0]*|(?:[\w.-]+@)?\w[\w.-]*:(?!:|\/\/)[^\s\0]*|\.{0,2}\/[^\0]*|)$/i

/**
 * Settings of git that start no program, whatever else a repository holds: names as git compares them, and values. All
 * others count as able to start a program, as git gets new ones with each version.
 */
export const harmlessSettings: readonly { readonly name: RegExp; readonly value: RegExp }[] = [
  { name: /^core\.repositoryformatversion$/, value: /^[01]$/ },
  { name: /^core\.(?:bare|filemode|symlinks|ignorecase|precomposeunicode|longpaths|quotepath)$/, value: yesOrNo },
  { name: /^core\.(?:preloadindex|untrackedcache|commitgraph|multipackindex|fscache|trustctime)$/, value: word },
  { name: /^core\.(?:logallrefupdates|autocrlf|eol|safecrlf|abbrev|compression|sharedrepository)$/, value: word },
  { name: /^core\.(?:checkstat|sparsecheckout|sparsecheckoutcone|protecthfs|protectntfs)$/, value: word },
  { name: /^core\.fsmonitor$/, value: no },
  { name: /^(?:user|author|committer)\.(?:name|email|useconfigonly)$/, value: anyText },
  { name: /^extensions\.(?:objectformat|refstorage|worktreeconfig|relativeworktrees|noop)$/, value: word },
  { name: /^extensions\.(?:partialclone|preciousobjects)$/, value: name },
  { name: /^init\.defaultbranch$/, value: name },
  { name: /^remote\..+\.(?:url|pushurl)$/s, value: address },
  { name: /^remote\..+\.(?:fetch|push)$/s, value: refspec },
  { name: /^remote\..+\.(?:tagopt|prune|prunetags|mirror|promisor)$/s, value: /^[\w-]*$/ },
  { name: /^remote\..+\.(?:skipdefaultupdate|skipfetchall|followremotehead)$/s, value: word },
  { name: /^remote\..+\.partialclonefilter$/s, value: /^[\w:=.-]*$/ },
  { name: /^remote\.pushdefault$/, value: name },
  { name: /^branch\..+\.(?:remote|pushremote|merge)$/s, value: name },
  { name: /^branch\..+\.(?:rebase|description|vscode-merge-base|gh-merge-base)$/s, value: anyText },
  { name: /^branch\.(?:autosetupmerge|autosetuprebase|sort)$/, value: name },
  { name: /^submodule\..+\.url$/s, value: address },
  { name: /^submodule\..+\.(?:active|branch|shallow|ignore|fetchrecursesubmodules)$/s, value: name },
  { name: /^submodule\..+\.update$/s, value: /^(?:checkout|rebase|merge|none)$/ },
  { name: /^submodule\.(?:active|recurse|fetchjobs|propagatebranches)$/, value: name },
  { name: /^pull\.(?:rebase|ff)$/, value: word },
  { name: /^fetch\.(?:prune|prunetags|parallel|fsckobjects|writecommitgraph|recursesubmodules)$/, value: word },
  { name: /^push\.(?:default|followtags|autosetupremote|recursesubmodules)$/, value: word },
  { name: /^merge\.(?:ff|conflictstyle|renames|log|stat|autostash)$/, value: word },
  { name: /^rebase\.(?:autostash|autosquash|updaterefs|stat|backend)$/, value: word },
  { name: /^rerere\.(?:enabled|autoupdate)$/, value: word },
  { name: /^status\.(?:short|branch|showuntrackedfiles|submodulesummary|relativepaths)$/, value: word },
  { name: /^(?:feature|index)\.[\w-]+$/, value: word },
  { name: /^gc\.(?:auto|autodetach|autopacklimit|pruneexpire|writecommitgraph)$/, value: word },
  { name: /^maintenance\.(?:auto|strategy)$/, value: word },
  { name: /^(?:color|advice)\..+$/s, value: /^[\w #-]*$/ },
  { name: /^(?:commit|tag|push)\.gpgsign$/, value: no },
  { name: /^(?:transfer|uploadpack)\.(?!packobjectshook)[\w-]+$/, value: yesOrNo },
  { name: /^receive\.(?!procreceiverefs)[\w-]+$/, value: /^\w*$/ },
  { name: /^http\.(?:receivepack|uploadpack|getanyfile)$/, value: yesOrNo },
  { name: /^diff\.(?:algorithm|renames|renamelimit|mnemonicprefix|noprefix|colormoved)$/, value: word },
  { name: /^lfs\.repositoryformatversion$/, value: /^\d+$/ },
]
