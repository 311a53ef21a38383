# The shell behind `synapse shell`: it runs lines that somebody else has edited. It tells where the output of
# a line begins and ends with marks that only the two of them know.

unset HISTFILE
set +o history +o histexpand -o emacs
bind 'set enable-bracketed-paste off' 2>/dev/null

__synapse_co_mark() {
    printf '\e]7711;@WORD@;%s\a' "$1" >/dev/tty
}
__synapse_co_done() {
    local status=$?
    __synapse_co_mark "done;$status;$PWD"
    return "$status"
}
__synapse_co_status() {
    return "$1"
}
__synapse_co_prompt() {
    PS1='\[\e]7711;@WORD@;ready\a\]' PS2=
}

# Others set the prompt there, and may look at the exit code.
__synapse_co_watch() {
    [[ "${PROMPT_COMMAND[*]-}" == *__synapse_co_done*__synapse_co_prompt* ]] && return
    if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501)) &&
        [[ $(declare -p PROMPT_COMMAND 2>/dev/null) == 'declare -a'* ]]; then
        PROMPT_COMMAND=('__synapse_co_done && :' "${PROMPT_COMMAND[@]}" __synapse_co_prompt)
    else
        PROMPT_COMMAND="__synapse_co_done && :
${PROMPT_COMMAND-}
__synapse_co_prompt"
    fi
}
# A line may have set it anew, as many a ~/.bashrc does that is read again.
__synapse_co_keep() {
    local status=$?
    __synapse_co_watch
    return "$status"
}
__synapse_co_watch
