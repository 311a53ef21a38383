# The shell behind `synapse shell`: it runs lines that somebody else has edited. It tells where the output of
# a line begins and ends with marks that only the two of them know.

unset HISTFILE
SAVEHIST=0
bindkey -e

__synapse_co_mark() {
    printf '\e]7711;@WORD@;%s\a' "$1" >/dev/tty
}
__synapse_co_done() {
    __synapse_co_mark "done;$?;$PWD"
}
__synapse_co_status() {
    return "$1"
}
__synapse_co_prompt() {
    PS1='%{'$'\e]7711;@WORD@;ready\a''%}' PS2= RPS1=
}
__synapse_co_watch() {
    [[ "${precmd_functions[*]}" == *__synapse_co_done*__synapse_co_prompt ]] && return
    precmd_functions=(${precmd_functions:#__synapse_co_*})
    precmd_functions=(__synapse_co_done "${precmd_functions[@]}" __synapse_co_prompt)
}
# A line may have set them anew.
__synapse_co_keep() {
    local code=$?
    __synapse_co_watch
    return $code
}
__synapse_co_watch
