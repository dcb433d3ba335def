# A callable in a language without a package of attune: lines of JSON come by standard input, and answers go to standard
# output. What it prints beside them is no answer. STEP=2 crashes, STEP=3 hangs, STEP=4 ends the program, STEP=5 computes
# what is wrong, STEP=6 fails, and STEP=7 prints more than a pipe holds.
value_of() {
  value=${line##*\"$1\":}
  value=${value%%[,\}]*}
}
while read -r line; do
  value_of STEP
  step=$value
  case $line in
    *'"describe"'*) echo '{"name":"steps","version":"1","problem":{"n":1000},"parameters":{"STEP":[1,2,3,4,5,6,7]}}' ;;
    *'"begin"'*) echo "what a program prints"; value_of n; n=$value; echo '{}' ;;
    *'"check"'*) if [ "$step" = 5 ]; then echo '{"wrong":"five is not right"}'; else echo '{}'; fi ;;
    *'"run"'*)
      case $step in
        2) kill -SEGV $$ ;;
        3) while :; do sleep 1; done ;;
        4) exit 0 ;;
        6) echo '{"error":"there is no sixth step"}' ;;
        7) head -c 100000 /dev/zero | tr '\0' x; echo; echo "{\"ns\":$((n * 1000 / step))}" ;;
        *) echo "{\"ns\":$((n * 1000 / step))}" ;;
      esac ;;
  esac
done
