/** Grammar of a patch in Lark's syntax, to which a provider holds the input of a freeform tool. */
export const patchGrammar = `start: begin file+ end
begin: "*** Begin Patch" LF
end: "*** End Patch" LF?

file: added | deleted | updated
added: "*** Add File: " path LF new_line+
deleted: "*** Delete File: " path LF
updated: "*** Update File: " path LF (moved body? | body)
moved: "*** Move to: " path LF

body: (chunk | headed) headed*
headed: head+ chunk
head: ("@@" | "@@ " text) LF
chunk: line+ at_end?
line: ("+" | "-" | " ") text? LF
new_line: "+" text? LF
at_end: "*** End of File" LF
path: text
text: /(.+)/

%import common.LF
`
