# Completions of synapse for bash. Where @, : and = break words (COMP_WORDBREAKS), one argument comes in several pieces
# and only the last of them is replaced: they are put together for the question, and the answers are cut again.
_synapse_complete() {
    local IFS=$'\013' words=() i piece blanks rest=${COMP_LINE:0:COMP_POINT}
    for ((i = 0; i <= COMP_CWORD; i++)); do
        blanks=${rest%%[![:space:]]*}
        rest=${rest:${#blanks}}
        piece=${COMP_WORDS[i]}
        ((i < COMP_CWORD)) || piece=$rest
        rest=${rest:${#piece}}
        if ((i == 0)) || [[ -n $blanks ]]; then
            words[${#words[@]}]=$piece
        else
            words[${#words[@]} - 1]+=$piece
        fi
    done
    local last=$((${#words[@]} - 1)) space=true
    compopt +o nospace 2>/dev/null && space=false
    COMPREPLY=($(
        _CLAP_IFS=$IFS _CLAP_COMPLETE_INDEX=$last _CLAP_COMPLETE_COMP_TYPE=$COMP_TYPE _CLAP_COMPLETE_SPACE=$space \
            COMPLETE=bash synapse -- "${words[@]}"
    )) || {
        unset COMPREPLY
        return
    }
    local kept=${words[last]%"$2"}
    COMPREPLY=("${COMPREPLY[@]#"$kept"}")
    if [[ $space == false && ${COMPREPLY-} =~ [=/:]$ ]]; then
        compopt -o nospace
    fi
}
if ((BASH_VERSINFO[0] > 4 || BASH_VERSINFO[0] == 4 && BASH_VERSINFO[1] >= 4)); then
    complete -o nospace -o bashdefault -o nosort -F _synapse_complete synapse
else
    complete -o nospace -o bashdefault -F _synapse_complete synapse
fi
